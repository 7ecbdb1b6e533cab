internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import System

struct BadRowOptions: ParsableArguments {
    @Option(help: "Leave bad rows out and write them to this file, as JSON lines.")
    var skipBad: String?

    @Option(help: "Leave bad rows out, but no more than this percentage of all; 1 if absent.")
    var maxBad: Double?

    func validate() throws {
        guard skipBad != "-" else {
            throw ValidationError("--skip-bad needs a file: standard output is for the report on the table.")
        }
        guard maxBad.map({ (0...100).contains($0) }) ?? true else {
            throw ValidationError("--max-bad is a percentage, from 0 to 100.")
        }
    }

    static let usualMaxPercent = 1.0

    func skippedRows() throws -> SkippedRowsFile? {
        try skipBad.map { try SkippedRowsFile(path: $0) }
    }

    /// `maxPercent` of bad rows may be left out when no option says how many; at 0, each is an error.
    func handling(_ file: SkippedRowsFile?, maxPercent: Double) -> FactsCompiler.BadRows {
        let limit = maxBad ?? (file == nil ? maxPercent : Self.usualMaxPercent)
        guard limit > 0 || file != nil else { return .refuse }
        return .skip(maxPercent: limit) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
            try file?.append(row)
        }
    }

    func warnings(_ skipped: FactsCompiler.Skipped, table: String) -> [Finding] {
        guard skipped.count > 0 else { return [] }
        let rows = skipped.count == 1 ? "1 bad row was" : "\(skipped.count) bad rows were"
        let lines = skipped.lineCount > skipped.count ? " (\(skipped.lineCount) lines)" : ""
        let place = skipBad.map { ", see \($0)" } ?? ""
        let summary = Finding(
            code: "facts.skipped-rows", severity: .warning, "\(rows) left out\(lines)\(place)",
            file: table)
        return [summary]
            + skipped.kinds.map { finding in
                var warning = finding
                warning.severity = .warning
                warning.file = table
                return warning
            }
    }
}

/// The bad rows, as lines of JSON. They are about subscribers, so only the user who runs the tool can read the file.
final class SkippedRowsFile {
    private var file: AtomicFileWriter?
    private let path: String
    private var isEmpty = true

    init(path: String) throws {
        self.path = path
        file = try ToolError.about(path) { try AtomicFileWriter(path: path, permissions: 0o600) }
    }

    func append(_ row: FactsCompiler.SkippedRow) throws(SystemCallError) {
        var members: [(String, JSONNode)] = [
            ("line", .integer(Int64(row.finding.line ?? 0))),
            ("column", .integer(Int64(row.finding.column ?? 0))),
            ("code", .string(row.finding.code)),
            ("message", .string(row.finding.message)),
            ("row", .string(String(decoding: row.bytes, as: UTF8.self))),
        ]
        // The member `row` shows the text as far as possible; `bytes` keeps the exact bytes for a repair.
        if String(validating: row.bytes, as: UTF8.self) == nil {
            members.append(("bytes", .string(String(decoding: Base64.encode(row.bytes.span), as: UTF8.self))))
        }
        try file?.append((JSONNode.object(members).serialized() + [UInt8(ascii: "\n")]).span)
        isEmpty = false
    }

    /// Keeps the file when the table has bad data, since its rows show what is wrong; without any row, the old file stays.
    func failing(_ error: any Error) -> any Error {
        let failure = ToolError(error)
        guard failure.code.hasPrefix("facts."), !isEmpty else { return failure }
        do {
            try commit()
            return failure
        } catch {
            return ToolError(failure.exitStatus, failure.findings + ToolError(error).findings)
        }
    }

    func commit() throws {
        guard let file = file.take() else { return }
        do { try file.commit() } catch { throw ToolError(error, file: path) }
    }
}

enum DataFileOutput {
    static func checkName(_ path: String, ending: String) throws {
        guard path.hasSuffix(ending) else {
            throw ValidationError("The file to write must end with \(ending): the service loads no other.")
        }
        let name = AtomicFile.split(path).name
        guard DataFileName.kind(of: name) != nil else {
            throw ValidationError(
                "The service loads no file named \"\(name)\": a name has letters and digits of ASCII, \".\", \"_\" and \"-\", "
                    + "does not begin with a dot, and has at most 255 bytes."
            )
        }
    }
}
