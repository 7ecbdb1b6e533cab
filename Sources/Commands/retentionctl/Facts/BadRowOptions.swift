internal import ArgumentParser
internal import FactsCompiler
internal import System
internal import Vocabulary

/// The options of the commands that read a table, about its bad rows.
struct BadRowOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Leave bad rows out and write them to this file, as JSON lines.", valueName: "file")
    )
    var skipBad: String?

    @Option(
        help: ArgumentHelp(
            "Leave bad rows out, and fail when more than this percentage of the rows is bad; 1 if absent.",
            valueName: "percent")
    )
    var maxBad: Double?

    func validate() throws {
        guard skipBad != "-" else {
            throw ValidationError("--skip-bad needs a file: standard output is for the report on the table.")
        }
        guard maxBad.map({ (0...100).contains($0) }) ?? true else {
            throw ValidationError("--max-bad is a percentage, from 0 to 100.")
        }
    }

    /// The share of bad rows that is left out unless the user names another one.
    static let usualMaxPercent = 1.0

    /// Makes the file for bad rows; nil when there is no option for it.
    func skippedRows() throws(ToolFailure) -> SkippedRowsFile? {
        try skipBad.map { path throws(ToolFailure) in try SkippedRowsFile(path: path) }
    }

    /// Returns what to do with bad rows. `maxPercent` is the share that may be left out when no option says so; at 0, each bad
    /// row is an error.
    func handling(_ file: SkippedRowsFile?, maxPercent: Double) -> FactsCompiler.BadRows {
        let limit = maxBad ?? (file == nil ? maxPercent : Self.usualMaxPercent)
        guard limit > 0 || file != nil else { return .refuse }
        return .skip(maxPercent: limit) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
            try file?.append(row)
        }
    }

    /// The warnings about the rows of a table that were left out.
    func warnings(_ skipped: FactsCompiler.Skipped, table: String) -> [Finding] {
        guard skipped.count > 0 else { return [] }
        let rows = skipped.count == 1 ? "1 bad row was" : "\(skipped.count) bad rows were"
        let lines = skipped.lineCount > skipped.count ? " (\(skipped.lineCount) lines)" : ""
        let place =
            skipBad.map { ", see \($0)" } ?? (skipped.count > skipped.first.count ? ", these first" : "")
        let summary = Finding(
            code: FactsBuildReason.skippedRows.code, severity: .warning, "\(rows) left out\(lines)\(place)",
            file: table)
        return [summary]
            + skipped.first.map { finding in
                var warning = finding
                warning.severity = .warning
                warning.file = table
                return warning
            }
    }
}
