internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import System

/// Opens, checks and shows compiled facts files.
enum CompiledFacts {
    /// Maps a file and opens it. A program that changes the file in place in the meantime ends this process; the
    /// service never maps a pushed file.
    static func open(_ path: String, check: DataFileCheck) throws -> FactsFile {
        do {
            return try FactsFile(
                mapping: MappedMemory(of: FileDescriptor.openForReading(path: path)), check: check)
        } catch let error as SystemCallError where error.fault == .fileEmpty {
            throw ToolError(DataFileError(.truncated, offset: 0), file: path)
        } catch {
            throw ToolError(error, file: path)
        }
    }

    /// Returns true when the file begins with the header of a facts file. Returns false for standard input without
    /// reading it.
    static func isFacts(_ path: String) throws -> Bool {
        guard path != "-" else { return false }
        var head = [UInt8](repeating: 0, count: DataFileHeader.byteCount)
        let count = try ToolError.about(path) {
            try FileDescriptor.openForReading(path: path).read(into: &head)
        }
        return count == head.count && DataFileHeader.hasMagic(head)
    }

    /// Opens a file and checks it as the loader does.
    static func checked(_ path: String) throws -> FactsFile {
        let file = try open(path, check: .full)
        guard file.header.builtAtMilliseconds - Clock.wallMilliseconds() <= 86_400_000 else {
            throw ToolError(
                code: "built-in-future", "built more than a day ahead of this machine's clock",
                file: path)
        }
        return file
    }

    /// Returns what a file is and has, as members of a report.
    static func members(of file: FactsFile, hasCounts: Bool) -> [(String, JSONNode)] {
        let header = file.header
        return [
            ("kind", .string(DataFileKind.facts.name)), ("appAppleId", .integer(header.appAppleId)),
            ("environment", .string(header.environment.rawValue)),
            ("builtAt", .string(CivilTime(milliseconds: header.builtAtMilliseconds).description)),
            ("writer", .string(header.writerVersion)), ("sha256", .string(header.digest.hexadecimal)),
            ("bytes", JSONNode(header.fileByteCount)), ("rows", JSONNode(file.rowCount)),
            (
                "facts",
                .array(
                    file.columns.enumerated().map { index, column in
                        .object(
                            [
                                ("name", .string(column.name)), ("kind", .string(column.kind.name)),
                                ("bits", JSONNode(column.bitCount)),
                            ] + (hasCounts ? counts(index, of: file) : []))
                    })
            ),
        ]
    }

    /// How many of the most frequent values are shown.
    private static let frequentCount = 5

    /// Returns how many rows have a value in a column, and which: the least and the greatest number or date, the most frequent
    /// strings and booleans.
    private static func counts(_ index: Int, of file: FactsFile) -> [(String, JSONNode)] {
        let kind = file.columns[index].kind
        var present = 0
        var range: (least: Int64, greatest: Int64)?
        // The file already numbers its strings; false and true get the numbers 0 and 1.
        var counts = [Int](repeating: 0, count: kind == .string ? file.stringCount : 2)
        for row in file.rows where file.isPresent(column: index, row: row) {
            present += 1
            switch kind {
            case .string: if let number = file.stringNumber(column: index, row: row) { counts[number] += 1 }
            case .boolean: counts[file.boolean(column: index, row: row) == true ? 1 : 0] += 1
            case .date, .integer:
                let value = file.integer(column: index, row: row) ?? file.date(column: index, row: row) ?? 0
                range = (min(range?.least ?? value, value), max(range?.greatest ?? value, value))
            }
        }
        func node(_ value: Int64) -> JSONNode {
            kind == .date ? .string(FactText.date(value)) : .integer(value)
        }
        var frequent: [Int] = []
        for number in counts.indices where counts[number] > 0 {
            let place = frequent.firstIndex { counts[$0] < counts[number] } ?? frequent.count
            guard place < frequentCount else { continue }
            frequent.insert(number, at: place)
            if frequent.count > frequentCount { frequent.removeLast() }
        }
        let words = frequent.map { number in
            let word = kind == .string ? file.string(numbered: number) ?? "" : String(number == 1)
            return JSONNode.object([("value", .string(word)), ("rows", JSONNode(counts[number]))])
        }
        return [
            ("values", JSONNode(present)), ("missing", JSONNode(file.rowCount - present)),
            ("least", range.map { node($0.least) } ?? .null),
            ("greatest", range.map { node($0.greatest) } ?? .null),
            ("different", kind == .string ? JSONNode(counts.count { $0 > 0 }) : .null),
            ("frequent", .array(words)),
        ]
    }
}

extension DataFileHeader {
    /// The app and the environment of the file, for messages.
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }
}
