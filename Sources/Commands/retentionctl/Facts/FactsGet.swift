internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import JSON
internal import System

/// The facts about subscribers: the commands that compile tables into facts files and look into those files.
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

/// Shows the facts of single subscribers in a facts file.
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
                    let value = FactText.text(index, row, opened) ?? "-"
                    Console.print("  \(column.name): \(value)")
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
                        (column.name, FactText.node(index, row, file))
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

/// The values of a row as text and as JSON.
enum FactText {
    /// Returns the value as text; nil when it is missing.
    static func text(_ column: Int, _ row: FactsRow, _ file: FactsFile) -> String? {
        switch file.columns[column].kind {
        case .string: file.string(column: column, row: row).map { "\"\($0)\"" }
        case .date: file.date(column: column, row: row).map { date($0) }
        case .integer: file.integer(column: column, row: row).map { String($0) }
        case .boolean: file.boolean(column: column, row: row).map { String($0) }
        }
    }

    /// Returns the value as JSON; null when it is missing.
    static func node(_ column: Int, _ row: FactsRow, _ file: FactsFile) -> JSONNode {
        switch file.columns[column].kind {
        case .string: file.string(column: column, row: row).map { .string($0) } ?? .null
        case .date: file.date(column: column, row: row).map { .string(date($0)) } ?? .null
        case .integer: file.integer(column: column, row: row).map { .integer($0) } ?? .null
        case .boolean: file.boolean(column: column, row: row).map { .boolean($0) } ?? .null
        }
    }

    /// Returns the time as RFC 3339 text, with milliseconds unless they are 0.
    static func date(_ milliseconds: Int64) -> String {
        CivilTime(milliseconds: milliseconds).exactDescription
    }
}
