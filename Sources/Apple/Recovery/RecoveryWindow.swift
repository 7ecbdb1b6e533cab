internal import AppStoreServerAPI
internal import NotificationStore

/// Kept in a cursor of the store, so that a program that was killed goes on where it was.
struct RecoveryWindow: Hashable, Codable {
    let range: TimeRange
    /// The range that Apple is asked for. It is longer.
    let request: TimeRange
    /// True when only notifications are read that Apple has not delivered. Such a window covers nothing.
    let onlyFailures: Bool
    /// The time before which the first page was read. What Apple sends later may be missing on pages that were read before.
    var begunAt: Int64
    var token: String?
    var isWhole = true

    var historyRequest: NotificationHistoryRequest {
        var body = NotificationHistoryRequest(startDate: request.from, endDate: request.to)
        if onlyFailures { body.onlyFailures = true }
        return body
    }

    /// Makes a window whose request reaches beyond its range by the overlap, but not before the begin of Apple's history.
    init(_ range: TimeRange, overlap: Int64, earliest: Int64, onlyFailures: Bool, begunAt: Int64) {
        self.begunAt = begunAt
        self.range = range
        request = TimeRange(from: max(earliest, range.from - overlap), to: range.to + overlap)
        self.onlyFailures = onlyFailures
    }

    var detail: String {
        String(decoding: AppleJSON.encode(self), as: UTF8.self)
    }

    /// Reads what ``detail`` gives. Any other text gives nil: the window is then read from its start.
    init?(detail: String) {
        guard let window = try? AppleJSON.decode(Self.self, Array(detail.utf8)),
            window.token != nil, !window.range.isEmpty
        else { return nil }
        self = window
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
