internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import SubscriberHistory
internal import System

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
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }
}

struct Facts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facts",
        abstract: "Makes facts files from tables and from stored notifications, and reads them.",
        discussion: """
            Example:
              retentionctl facts build subscribers.csv \\
                --schema rules.json -o com.example.app.facts
            """,
        subcommands: [FactsBuild.self, FactsGet.self]
    )
}

struct FactsGet: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints what a facts file says about subscribers.",
        discussion: """
            Ends with 1 if a subscriber is not in the file. Dates are printed in RFC 3339. With --json a missing value \
            is null.

            Example:
              retentionctl facts get com.example.app.facts 2000000001
            """
    )

    @Argument(help: "The facts file.", completion: .file(extensions: ["facts"]))
    var file: String

    @Argument(help: "One or more values of originalTransactionId.")
    var originalTransactionIds: [String]

    @OptionGroup var output: OutputOptions

    func run() throws {
        let opened = try CompiledFacts.open(file, check: .structure)
        var isAllFound = true
        var nodes: [JSONNode] = []
        for text in originalTransactionIds {
            let row = FactsKey.parse(decimal: text).flatMap { opened.find($0) }
            isAllFound = isAllFound && row != nil
            if output.json {
                nodes.append(json(text, row, opened))
            } else if let row {
                Console.print("\(text):")
                for (index, column) in opened.columns.enumerated() {
                    let value = opened.value(index, row)
                    let text =
                        switch value {
                        case nil: "-"
                        case .date(let time): FactText.date(time)
                        case .string(let text): "\"\(text)\""
                        default: String(decoding: value.node.serialized(), as: UTF8.self)
                        }
                    Console.print("  \(column.name): \(text)")
                }
            } else {
                Console.print("\(text): not found")
            }
        }
        if output.json { Console.print(.array(nodes)) }
        if !isAllFound { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func json(_ text: String, _ row: FactsRow?, _ file: FactsFile) -> JSONNode {
        let facts: JSONNode =
            if let row {
                .object(
                    file.columns.enumerated().map { index, column in
                        (column.name, file.value(index, row).node)
                    }
                )
            } else {
                .null
            }
        return .object([
            ("originalTransactionId", .string(text)), ("found", .boolean(row != nil)), ("facts", facts),
        ])
    }
}

enum FactText {
    /// Returns the time as RFC 3339 text, with milliseconds unless they are 0.
    static func date(_ milliseconds: Int64) -> String {
        CivilTime(milliseconds: milliseconds).exactDescription
    }
}

extension FactsFile {
    func value(_ column: Int, _ row: FactsRow) -> HistoryValue? {
        switch columns[column].kind {
        case .boolean: boolean(column: column, row: row).map(HistoryValue.boolean)
        case .integer: integer(column: column, row: row).map(HistoryValue.integer)
        case .date: date(column: column, row: row).map(HistoryValue.date)
        case .string: string(column: column, row: row).map(HistoryValue.string)
        }
    }
}

extension HistoryValue? {
    var node: JSONNode {
        switch self {
        case nil: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .date(let time): .string(FactText.date(time))
        case .string(let text): .string(text)
        }
    }
}
