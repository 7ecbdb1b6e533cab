internal import HTTPClient
internal import NotificationStore

/// The way of notifications to one receiver: one after the other, in the order of storing.
struct ForwardLane {
    let destination: ForwardReceiver
    /// The number of the last notification that the receiver has, or that cannot be passed on.
    private(set) var position: Int64
    /// The position that the store has.
    private var savedPosition: Int64
    /// What was read of the store and not passed on yet.
    private var waiting: [StoredJWS] = []
    /// The time of that reading.
    private var readAt: Int64 = 0
    private var failureCount = 0
    /// The notification that the receiver refuses, how often it did, and the status of its last answer.
    private var refused: (id: Int64, count: Int, status: Int)?
    /// True when the last answer refused a notification, so that it is sent again or set aside.
    private(set) var isRefused = false
    /// True when the last search found nothing that the receiver gets, and has not come to the end.
    private(set) var isSearching = false
    /// True while an answer is awaited.
    private(set) var isSending = false
    /// The time before which nothing is sent, on the clock that never goes back.
    private(set) var nextAttempt: Int64 = 0

    /// The longest time between two attempts, and the longest that a receiver can ask for.
    private static let longestPause: Int64 = 300_000
    private static let longestRetryAfter: Int64 = 3_600_000
    private static let pageCount = 20
    /// How many numbers one read looks at, so that a filter that lets little through makes no long reads.
    private static let windowCount: Int64 = 20_000
    /// After how many refusals a notification is set aside.
    private static let refusalCount = 5
    /// How long something that was read may be sent: the store may have erased it since.
    private static let freshMilliseconds: Int64 = 1000
    /// How many notifications may be sent again after a kill.
    static let unsavedCount: Int64 = 100

    init(_ destination: ForwardReceiver, _ store: NotificationStore) throws(NotificationStoreError) {
        self.destination = destination
        let cursor = try store.cursor(named: destination.cursorName)
        position = cursor?.position ?? 0
        savedPosition = position
        // `store prune` deletes nothing that a receiver lacks, and knows the receivers by their cursors.
        if cursor == nil { try store.setCursor(StoreCursor(position: 0), named: destination.cursorName) }
    }

    /// True when the last attempt failed.
    var isFailing: Bool { failureCount > 0 }
    /// True when the last attempt failed in a way that only time or a person can change.
    var isDown: Bool { isFailing && !isRefused }

    /// Returns true when something can be sent now. `end` is the greatest number that may be read.
    func canSend(at time: Int64, upTo end: Int64) -> Bool {
        !isSending && time >= nextAttempt && (!waiting.isEmpty || position < end)
    }

    /// Returns the request for the next notification at `time`; nil when there is none up to `end`.
    mutating func next(
        upTo end: Int64, at time: Int64, _ store: NotificationStore, _ report: (ForwardEvent) -> Void
    ) throws(NotificationStoreError) -> HTTPRequest? {
        if time - readAt >= Self.freshMilliseconds { dropRead() }
        isSearching = false
        while true {
            if waiting.isEmpty {
                guard position < end else {
                    // What the receiver did not take was deleted meanwhile.
                    (refused, isRefused, failureCount) = (nil, false, 0)
                    return nil
                }
                readAt = time
                let last = min(end, position + Self.windowCount)
                waiting = try store.notifications(
                    for: destination.filter, after: position, upTo: last, count: Self.pageCount)
                guard !waiting.isEmpty else {
                    // The numbers belong to rows that were deleted, or that the receiver does not get.
                    position = last
                    // The other receivers do not wait for a long search.
                    isSearching = position < end
                    if isSearching { return nil }
                    continue
                }
            }
            if try setAside(store, report) { continue }
            guard let jws = waiting[0].jws else {
                report(.damaged(host: destination.host, id: waiting[0].id))
                position = waiting.removeFirst().id
                continue
            }
            isSending = true
            return destination.request(jws)
        }
    }

    /// Sets the next notification aside when the receiver has refused it often enough. Returns true when it did.
    private mutating func setAside(_ store: NotificationStore, _ report: (ForwardEvent) -> Void)
        throws(NotificationStoreError) -> Bool
    {
        guard let refused, refused.id == waiting[0].id, refused.count >= Self.refusalCount else {
            return false
        }
        try store.setAside(refused.id, for: destination, status: refused.status)
        report(.setAside(host: destination.host, id: refused.id, status: refused.status))
        (self.refused, isRefused, failureCount) = (nil, false, 0)
        position = waiting.removeFirst().id
        try save(store, always: true)
        return true
    }

    /// Takes the answer to the request. Only a status of 2xx means that the receiver has the notification; a redirection is
    /// not followed, because it could lead anywhere.
    mutating func finish(
        _ result: Result<HTTPResponse, HTTPClientError>, at time: Int64, _ report: (ForwardEvent) -> Void
    ) {
        isSending = false
        isRefused = false
        let reason: String
        var pause = min(Self.longestPause, 1000 << min(failureCount, 20))
        switch result {
        case .success(let response) where (200...299).contains(response.status):
            if isFailing { report(.recovered(host: destination.host)) }
            failureCount = 0
            position = waiting.removeFirst().id
            return
        case .success(let response):
            reason = "status \(response.status)"
            if Self.isRefusal(response.status) {
                let id = waiting[0].id
                let count = refused.map { $0.id == id ? $0.count : 0 } ?? 0
                refused = (id, count + 1, response.status)
                isRefused = true
            }
            if let seconds = response.retryAfter.flatMap({ Int64($0) }), seconds > 0 {
                pause = max(
                    pause,
                    min(Self.longestRetryAfter, seconds.multipliedReportingOverflow(by: 1000).partialValue))
            }
        case .failure(let error): reason = error.code
        }
        if isRefused, let refused, refused.count >= Self.refusalCount { pause = 0 }
        failureCount += 1
        nextAttempt = time + pause
        // The next attempt reads the store again: what was erased meanwhile is not passed on.
        dropRead()
        report(.failed(host: destination.host, reason: reason, milliseconds: pause))
    }

    /// Returns true for a status that says that the notification is at fault. 408, 425 and 429 ask for another attempt.
    private static func isRefusal(_ status: Int) -> Bool {
        (400...499).contains(status) && ![408, 425, 429].contains(status)
    }

    /// Drops what was read of the store, so that the next request reads it again. No request is under way.
    mutating func dropRead() {
        waiting = []
    }

    /// Writes the position to the store, when it has moved far or `always` is true.
    mutating func save(_ store: NotificationStore, always: Bool) throws(NotificationStoreError) {
        guard position != savedPosition, always || position - savedPosition >= Self.unsavedCount else {
            return
        }
        try store.setCursor(StoreCursor(position: position), named: destination.cursorName)
        savedPosition = position
    }
}
