internal import Cryptography
internal import FactsCompiler
internal import JSON
internal import System
internal import Vocabulary

/// The file in which `--skip-bad` collects the rows that are left out, each as a JSON object on its own line. The rows
/// are about subscribers, so only the user who runs the tool can read the file.
final class SkippedRowsFile {
    private var file: AtomicFileWriter?
    private let path: String
    private var isEmpty = true

    init(path: String) throws(ToolFailure) {
        self.path = path
        file = try SystemCallError.mapped(
            to: { ToolFailure(writing: path, $0) },
            try AtomicFileWriter(path: path, permissions: 0o600)
        )
    }

    /// Adds a row.
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

    /// Keeps the file when the table was not compiled because of bad data, since its rows show what is wrong. Without
    /// any row, the old file stays. Returns the failure, with the error of the commit if that fails too.
    func failing(_ failure: ToolFailure) -> ToolFailure {
        guard failure.status == .badData, !isEmpty else { return failure }
        do throws(ToolFailure) {
            try commit()
            return failure
        } catch {
            return ToolFailure(failure.status, failure.findings + error.findings)
        }
    }

    /// Moves the file to its path.
    func commit() throws(ToolFailure) {
        guard let file = file.take() else { return }
        try SystemCallError.mapped(
            to: { ToolFailure(writing: path, $0) },
            giving: file
        ) { file throws(SystemCallError) in try file.commit() }
    }
}
