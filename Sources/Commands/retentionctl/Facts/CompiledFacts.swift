internal import Cryptography
internal import DataFiles
internal import JSON
internal import System
internal import Vocabulary

/// Opens, checks and shows compiled facts files.
enum CompiledFacts {
    /// Maps a file and opens it. A program that changes the file in place in the meantime ends this process; the
    /// service never maps a pushed file.
    static func open(_ path: String, check: DataFileCheck) throws(ToolFailure) -> FactsFile {
        let mapped = try SystemCallError.mapped(
            to: { error in
                error.fault == .fileEmpty
                    ? ToolFailure(DataFileError(.truncated, offset: 0), file: path)
                    : ToolFailure(error, file: path)
            },
            try MappedMemory(of: FileDescriptor.openForReading(path: path))
        )
        return try DataFileError.mapped(
            to: { ToolFailure($0, file: path) },
            giving: mapped
        ) { mapped throws(DataFileError) in try FactsFile(mapping: mapped, check: check) }
    }

    /// Returns true when the file begins with the header of a facts file. Returns false for standard input without
    /// reading it.
    static func isFacts(_ path: String) throws(ToolFailure) -> Bool {
        guard path != "-" else { return false }
        var head = [UInt8](repeating: 0, count: DataFileHeader.byteCount)
        let count = try SystemCallError.mapped(
            to: { ToolFailure($0, file: path) },
            try FileDescriptor.openForReading(path: path).read(into: &head)
        )
        return count == head.count && DataFileHeader.hasMagic(head)
    }

    /// Checks a file as the loader does, runs the additional check `more`, then prints the summary of the file.
    static func check(
        _ path: String,
        json: Bool,
        _ more: (FactsFile) throws(ToolFailure) -> Void = { _ throws(ToolFailure) in }
    ) throws(ToolFailure) {
        let file = try open(path, check: .full)
        // As the loader does.
        guard file.header.builtAtMilliseconds - Clock.wallMilliseconds() <= 86_400_000 else {
            throw ToolFailure(
                .badData, code: "built-in-future", "built more than a day ahead of this machine's clock",
                file: path)
        }
        try more(file)
        guard json else { return show(file, path: path) }
        Console.print(pretty: .object(Self.json(of: file, path: path)))
    }

    /// Prints the summary of a file.
    static func show(_ file: FactsFile, path: String) {
        let rows = file.rowCount == 1 ? "1 row" : "\(file.rowCount) rows"
        Console.print("\(path): \(rows) of \(file.columns.count) facts, \(file.header.fileByteCount) bytes")
        file.header.show()
        for column in file.columns {
            Console.print("  fact        \(column.name) \(column.kind.name), \(column.bitCount) bits")
        }
    }

    /// Returns the summary of a file as members of a JSON object.
    static func json(of file: FactsFile, path: String) -> [(String, JSONNode)] {
        file.header.members(path: path) + [
            ("rows", .integer(Int64(file.rowCount))),
            (
                "facts",
                .array(
                    file.columns.map { column in
                        .object([
                            ("name", .string(column.name)), ("kind", .string(column.kind.name)),
                            ("bits", .integer(Int64(column.bitCount))),
                        ])
                    }
                )
            ),
        ]
    }

    /// Prints every row as a JSON object on its own line, without the missing values. Compiling these lines makes the
    /// same file.
    static func dump(_ path: String) throws(ToolFailure) {
        let file = try open(path, check: .full)
        var text: [UInt8] = []
        for row in file.rows {
            guard let key = file.key(of: row) else { continue }
            var members = [("originalTransactionId", JSONNode.string(String(key)))]
            for (index, column) in file.columns.enumerated() where file.isPresent(column: index, row: row) {
                members.append((column.name, FactText.node(index, row, file)))
            }
            text += JSONNode.object(members).serialized() + [UInt8(ascii: "\n")]
            if text.count > 1 << 18 {
                Console.print(bytes: text)
                text.removeAll(keepingCapacity: true)
            }
        }
        Console.print(bytes: text)
    }
}
