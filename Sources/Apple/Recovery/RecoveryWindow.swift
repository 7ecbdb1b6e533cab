internal import AppStoreServerAPI
internal import JSON
internal import NotificationStore

/// A part of a range that is read page by page, and how far the reading has come. It is kept in a cursor of the store, so
/// that a program that was killed goes on where it was.
struct RecoveryWindow: Hashable {
    /// The range that is covered when the last page is stored.
    let range: TimeRange
    /// The range that Apple is asked for. It is longer.
    let request: TimeRange
    /// True when only notifications are read that Apple has not delivered. Such a window covers nothing.
    let onlyFailures: Bool
    /// The time before which the first page was read. What Apple sends later may be missing on pages that were read before.
    var begunAt: Int64
    /// The token of the next page; nil before the first.
    var token: String?
    /// True when every notification of the pages so far is in the store.
    var isWhole = true

    /// The request for each page.
    var historyRequest: NotificationHistoryRequest {
        var body = NotificationHistoryRequest(startDate: request.from, endDate: request.to)
        if onlyFailures { body.onlyFailures = true }
        return body
    }

    /// Makes a window of a range.
    ///
    /// - Parameters:
    ///   - range: the range to cover.
    ///   - overlap: how far the request reaches beyond it.
    ///   - earliest: the first moment of Apple's history.
    ///   - onlyFailures: true for notifications that were not delivered.
    ///   - begunAt: the present time.
    init(_ range: TimeRange, overlap: Int64, earliest: Int64, onlyFailures: Bool, begunAt: Int64) {
        self.begunAt = begunAt
        self.range = range
        request = TimeRange(from: max(earliest, range.from - overlap), to: range.to + overlap)
        self.onlyFailures = onlyFailures
    }

    /// The window as a text for a cursor.
    var detail: String {
        let node = JSONNode.object([
            ("from", .integer(range.from)), ("to", .integer(range.to)), ("startDate", .integer(request.from)),
            ("endDate", .integer(request.to)), ("onlyFailures", .boolean(onlyFailures)),
            ("begunAt", .integer(begunAt)), ("isWhole", .boolean(isWhole)),
            ("token", token.map { .string($0) } ?? .null),
        ])
        return String(decoding: node.serialized(), as: UTF8.self)
    }

    /// Reads what ``detail`` gives. Returns nil for any other text: the window is then read from its start.
    init?(detail: String) {
        let limits = JSONLimits(byteCount: 16 << 10, depth: 4)
        guard let root = try? JSONDocument(parsing: Array(detail.utf8).span, limits: limits).root,
            let from = root.member("from")?.int64, let to = root.member("to")?.int64, from < to,
            let start = root.member("startDate")?.int64, let end = root.member("endDate")?.int64,
            start <= from,
            to <= end, let onlyFailures = root.member("onlyFailures")?.boolean,
            let begunAt = root.member("begunAt")?.int64, let isWhole = root.member("isWhole")?.boolean,
            let token = root.member("token")?.string
        else { return nil }
        range = TimeRange(from: from, to: to)
        request = TimeRange(from: start, to: end)
        self.onlyFailures = onlyFailures
        self.begunAt = begunAt
        self.isWhole = isWhole
        self.token = token
    }

    /// Cuts a range at the multiples of a length, so that runs at different times have the same windows.
    static func cut(_ range: TimeRange, into length: Int64) -> [TimeRange] {
        var parts: [TimeRange] = []
        var from = range.from
        while from < range.to {
            let to = min(range.to, (from / length + 1) * length)
            parts.append(TimeRange(from: from, to: to))
            from = to
        }
        return parts
    }
}
