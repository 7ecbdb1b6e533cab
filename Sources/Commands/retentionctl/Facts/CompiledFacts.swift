internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

enum CompiledFacts {
    /// A program that changes the file in place meanwhile ends this process; the service never maps a pushed file.
    static func open(_ path: String, check: DataFileCheck) throws -> FactsFile {
        do {
            return try FactsFile(
                mapping: MappedMemory(of: FileDescriptor.openForReading(path: path)), check: check)
        } catch let error as SystemCallError where error == .fileEmpty {
            throw ToolError(DataFileError(.truncated, offset: 0), file: path)
        } catch {
            throw ToolError(error, file: path)
        }
    }

    /// True when the file begins as a facts file does. Standard input is not read.
    static func isFacts(_ path: String) throws -> Bool {
        guard path != "-" else { return false }
        var head = [UInt8](repeating: 0, count: DataFileHeader.byteCount)
        let count = try ToolError.about(path) {
            try FileDescriptor.openForReading(path: path).read(into: &head)
        }
        return count == head.count && DataFileHeader.hasMagic(head)
    }

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

    private static func counts(_ column: Int, of file: FactsFile) -> [(String, JSONNode)] {
        let count = file.rows.count { file.isPresent(column: column, row: $0) }
        return [("values", JSONNode(count)), ("missing", JSONNode(file.rowCount - count))]
    }
}

extension DataFileHeader {
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }
}

struct Facts: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes facts files from tables and from stored notifications, and reads them.",
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

    @Argument(help: "The facts file.", completion: .facts)
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
                    Console.print("  \(column.name): \(opened.value(index, row)?.text ?? "-")")
                }
            } else {
                Console.print("\(text): not found")
            }
        }
        if output.json { Console.print(.array(nodes)) }
        if !isAllFound { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func json(_ text: String, _ row: FactsRow?, _ file: FactsFile) -> JSONNode {
        let facts = row.map { row in
            JSONNode.object(
                file.columns.enumerated().map { ($1.name, file.value($0, row)?.node ?? .null) })
        }
        return .object([
            ("originalTransactionId", .string(text)), ("found", .boolean(row != nil)),
            ("facts", facts ?? .null),
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
    func value(_ column: Int, _ row: FactsRow) -> FactValue? {
        switch columns[column].kind {
        case .boolean: boolean(column: column, row: row).map { .boolean($0) }
        case .integer: integer(column: column, row: row).map { .integer($0) }
        case .date: date(column: column, row: row).map { .date($0) }
        case .string: string(column: column, row: row).map { .string($0) }
        }
    }
}

extension FactValue {
    /// The value for people: a text has quotes and escapes.
    var text: String {
        if case .date(let time) = self { return FactText.date(time) }
        return String(decoding: node.serialized(), as: UTF8.self)
    }
}
