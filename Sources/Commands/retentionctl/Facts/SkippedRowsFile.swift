internal import Cryptography
internal import FactsCompiler
internal import JSON
internal import System
internal import Vocabulary

/// Where `--skip-bad` collects the rows that are left out: a JSON object on each line. They are about subscribers, so
/// only who runs the tool reads them.
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

    /// Puts every bad row into the file.
    var badRows: FactsCompiler.BadRows {
        .skip { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in try self.append(row) }
    }

    private func append(_ row: FactsCompiler.SkippedRow) throws(SystemCallError) {
        var members: [(String, JSONNode)] = [
            ("line", .integer(Int64(row.finding.line ?? 0))),
            ("column", .integer(Int64(row.finding.column ?? 0))),
            ("code", .string(row.finding.code)),
            ("message", .string(row.finding.message)),
            ("row", .string(String(decoding: row.bytes, as: UTF8.self))),
        ]
        if row.byteCount > row.bytes.count {
            members.append(("rowByteCount", .integer(Int64(row.byteCount))))
        }
        // The text shows what it can; this is what can be repaired.
        if String(validating: row.bytes, as: UTF8.self) == nil {
            members.append(("bytes", .string(String(decoding: Base64.encode(row.bytes.span), as: UTF8.self))))
        }
        try file?.append((JSONNode.object(members).serialized() + [UInt8(ascii: "\n")]).span)
        isEmpty = false
    }

    /// Puts the file in its place where the table was not compiled: it says what is wrong. Without rows the old one stays.
    func failing(_ failure: ToolFailure) -> ToolFailure {
        guard failure.status == .badData, !isEmpty else { return failure }
        do throws(ToolFailure) {
            try commit()
            return failure
        } catch {
            return ToolFailure(failure.status, failure.findings + error.findings)
        }
    }

    /// Puts the file in its place.
    func commit() throws(ToolFailure) {
        guard let file = file.take() else { return }
        do throws(SystemCallError) {
            try file.commit()
        } catch {
            throw ToolFailure(writing: path, error)
        }
    }
}
