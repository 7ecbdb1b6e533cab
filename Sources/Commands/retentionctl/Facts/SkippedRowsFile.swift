internal import FactsCompiler
internal import JSON
internal import System

/// Where `--skip-bad` collects the rows that are left out: a JSON object on each line.
final class SkippedRowsFile {
    private var file: AtomicFileWriter?
    private let path: String

    init(path: String) throws(ToolFailure) {
        self.path = path
        do throws(SystemCallError) {
            file = try AtomicFileWriter(path: path)
        } catch {
            throw ToolFailure(writing: path, error)
        }
    }

    /// Puts every bad row into the file.
    var badRows: FactsCompiler.BadRows {
        .skip { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in try self.append(row) }
    }

    private func append(_ row: FactsCompiler.SkippedRow) throws(SystemCallError) {
        let node = JSONNode.object([
            ("line", .integer(Int64(row.finding.line ?? 0))),
            ("column", .integer(Int64(row.finding.column ?? 0))),
            ("code", .string(row.finding.code)),
            ("message", .string(row.finding.message)),
            ("row", .string(String(decoding: row.bytes, as: UTF8.self))),
        ])
        try file?.append((node.serialized() + [UInt8(ascii: "\n")]).span)
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
