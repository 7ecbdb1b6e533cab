internal import JSON
internal import NotificationStore
internal import System
internal import Vocabulary

/// Where the bodies of a replay come from.
struct ReplaySource {
    /// Calls `body` for every request body in a file, or in every file of a directory in the order of their names. A file has
    /// a request body on each line, or a bare JWS, or lines of `store export`.
    static func forEach(
        in path: String,
        _ body: (_ body: [UInt8], _ place: String) throws -> Void
    ) throws {
        for file in try files(path) {
            try InputLines.forEach(in: file, lineLimitBytes: StoreImport.lineByteCount) {
                number,
                line throws(ToolFailure) in
                guard let text = try requestBody(Whitespace.trimmed(line), file, number) else { return }
                do { try body(text, "\(file):\(number)") } catch { throw ToolFailure(error) }
            }
        }
    }

    /// Calls `body` for every notification of a store that the filter lets through, in the order of storing.
    static func forEach(
        in store: NotificationStore,
        _ filter: NotificationFilter,
        _ body: (_ body: [UInt8], _ place: String) throws -> Void
    ) throws {
        var after: Int64? = 0
        while let place = after {
            let page = try store.notifications(filter, StorePage(after: place))
            for row in page.rows {
                guard let jws = try store.jws(.notification, id: row.id) else { continue }
                try body(NotificationBody.make(jws), "notification \(row.id)")
            }
            after = page.next
        }
    }

    private static func files(_ path: String) throws -> [String] {
        guard path != "-" else { return [path] }
        let status = try SystemCallError.mapped(
            to: { ToolFailure($0, file: path) },
            try FileStatus(path: path)
        )
        guard status.kind == .directory else { return [path] }
        let names = try SystemCallError.mapped(
            to: { ToolFailure($0, file: path) },
            try Directory.names(in: try FileDescriptor.openDirectory(path: path), limitCount: 1_000_000)
        )
        return names.sorted().map { "\(path)/\($0)" }.filter { (try? FileStatus(path: $0))?.kind == .regular }
    }

    /// Returns the request body of a line; nil for a line of an export that is no notification. A line that is JSON and no
    /// line of an export is posted as it is, so that a replay also shows how a receiver takes what is wrong.
    private static func requestBody(
        _ line: [UInt8],
        _ file: String,
        _ number: Int
    ) throws(ToolFailure) -> [UInt8]? {
        guard line.first == UInt8(ascii: "{") else { return NotificationBody.make(line) }
        do throws(StoreToolError) {
            guard case .jws(let record) = try StoreRecord(line: line, receivedAt: 0) else { return nil }
            if record.place == nil { return line }
            return record.kind == .notification ? NotificationBody.make(record.jws) : nil
        } catch {
            guard case .badLine = error else { throw ToolFailure(error, file: file) }
            return line
        }
    }
}
