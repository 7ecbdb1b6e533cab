package import HTTPClient
package import NotificationStore
internal import SQL

/// Passes stored notifications on: the raw body, at least once, and to each receiver in the order of storing. Each receiver has a
/// lane with one request under way, so a receiver that is down or slow delays nobody else.
package final class Forwarder {
    private let store: NotificationStore
    private let transport: any ForwardTransport
    private let timing: StoreTiming
    private let report: (String) -> Void
    private var lanes: [ForwardLane]
    private var laneOfRequest: [Int: Int] = [:]
    private var lastRequest = 0
    /// The time before which the store is not read again after a failure, and how long the next such pause is.
    private var storePausedUntil: Int64 = 0
    private var storePause = Forwarder.pollMilliseconds
    private var end: Int64 = 0
    private var endReadAt: Int64?
    private var savedAt: Int64 = 0

    private static let saveMilliseconds: Int64 = 1000
    private static let pollMilliseconds: Int64 = 500
    private static let waitMilliseconds: Int32 = 50
    private static let longestPause: Int64 = 60_000

    package init(
        _ store: NotificationStore, _ destinations: [ForwardReceiver], _ transport: any ForwardTransport,
        timing: StoreTiming = .system, report: @escaping (String) -> Void
    ) throws(NotificationStoreError) {
        self.store = store
        self.transport = transport
        self.timing = timing
        self.report = report
        var lanes: [ForwardLane] = []
        for destination in destinations { lanes.append(try ForwardLane(destination, store)) }
        self.lanes = lanes
    }

    /// Passes on what is stored, with `follow` until `isOver`, else until each receiver has all or has failed once. A notification that
    /// is refused is sent five times and then set aside. Returns the hosts whose last attempt failed.
    package func run(
        follow: Bool,
        isOver: () -> Bool = { false }
    ) throws(NotificationStoreError) -> [String] {
        endReadAt = nil
        while true {
            let stops = isOver()
            if !stops {
                try pausing(follow) { () throws(NotificationStoreError) in
                    try readEnd()
                    try begin(givesUp: !follow)
                }
            }
            let isBusy = !laneOfRequest.isEmpty
            if isBusy {
                takeAnswers()
                try pausing(follow) { () throws(NotificationStoreError) in try save() }
            } else {
                let isSearching = lanes.contains(where: \.isSearching)
                if stops || !follow && !isSearching && !lanes.contains(where: \.isRefused) { break }
                let isPaused = timing.elapsed() < storePausedUntil
                if !isSearching || isPaused { timing.sleep(idleMilliseconds) }
            }
        }
        try pausing(follow) { () throws(NotificationStoreError) in try save(always: true) }
        return lanes.filter(\.isFailing).map(\.destination.host)
    }

    /// With `follow`, a failure of the store that may pass is reported, and the store left alone for a while.
    private func pausing(_ follow: Bool, _ body: () throws(NotificationStoreError) -> Void)
        throws(NotificationStoreError)
    {
        guard timing.elapsed() >= storePausedUntil else { return }
        do throws(NotificationStoreError) {
            try body()
            storePause = Self.pollMilliseconds
        } catch {
            guard follow, error.retry != .never else { throw error }
            report("store: \(error.code), again in \((storePause + 999) / 1000) s")
            storePausedUntil = timing.elapsed() + storePause
            storePause = min(storePause * 2, Self.longestPause)
        }
    }

    private var idleMilliseconds: Int64 {
        let now = timing.elapsed()
        let attempts = lanes.filter(\.isFailing).map { max(1, $0.nextAttempt - now) }
        return min(Self.pollMilliseconds, attempts.min() ?? Self.pollMilliseconds)
    }

    private func readEnd() throws(NotificationStoreError) {
        let now = timing.elapsed()
        if let endReadAt, now - endReadAt < Self.pollMilliseconds { return }
        end = try store.settledNotificationID()
        endReadAt = now
    }

    /// A request that cannot be begun counts as a failed attempt of its lane alone.
    private func begin(givesUp: Bool) throws(NotificationStoreError) {
        for place in lanes.indices {
            let now = timing.elapsed()
            guard lanes[place].canSend(at: now, upTo: end), !givesUp || !lanes[place].isDown,
                let request = try lanes[place].next(upTo: end, at: now, store, report)
            else { continue }
            lastRequest += 1
            do throws(HTTPClientError) {
                try transport.begin(request, number: lastRequest)
                laneOfRequest[lastRequest] = place
            } catch {
                lanes[place].finish(.failure(error), at: timing.elapsed(), report)
            }
        }
    }

    private func takeAnswers() {
        do throws(HTTPClientError) {
            let before = laneOfRequest.count
            try transport.advance(take)
            guard laneOfRequest.count == before else { return }
            try transport.wait(milliseconds: Self.waitMilliseconds)
        } catch {
            // The client itself failed; what was under way counts as failed, and later answers to it are ignored.
            for place in laneOfRequest.values {
                lanes[place].finish(.failure(error), at: timing.elapsed(), report)
            }
            laneOfRequest = [:]
        }
    }

    private func take(_ number: Int, _ result: Result<HTTPResponse, HTTPClientError>) {
        guard let place = laneOfRequest.removeValue(forKey: number) else { return }
        lanes[place].finish(result, at: timing.elapsed(), report)
    }

    /// Saves the positions of all lanes every second, and at once that of a lane that has moved far.
    private func save(always: Bool = false) throws(NotificationStoreError) {
        let isDue = always || timing.elapsed() - savedAt >= Self.saveMilliseconds
        for place in lanes.indices { try lanes[place].save(store, always: isDue) }
        if isDue { savedAt = timing.elapsed() }
    }
}

/// Sends requests, many at once. ``HTTPClient`` does so; tests have another transport.
package protocol ForwardTransport {
    func begin(_ request: HTTPRequest, number: Int) throws(HTTPClientError)

    /// Does what can be done without waiting, and hands over the answers that have come; see ``HTTPClient/advance(_:)``.
    func advance(_ finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void) throws(HTTPClientError)

    func wait(milliseconds: Int32) throws(HTTPClientError)
}

extension HTTPClient: ForwardTransport {}

extension ForwardReceiver {
    package func request(_ jws: [UInt8]) -> HTTPRequest { .postJSON(Self.body(jws), to: url) }

    /// The body in which Apple sends a notification. A compact JWS has no character that JSON escapes.
    package static func body(_ jws: [UInt8]) -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + jws + Array(#""}"#.utf8)
    }
}

struct ForwardLane {
    let destination: ForwardReceiver
    /// The number of the last notification that the receiver has, or that cannot be passed on.
    private(set) var position: Int64
    private var savedPosition: Int64
    private var waiting: [StoredJWS] = []
    private var readAt: Int64 = 0
    private var failureCount = 0
    /// The notification that the receiver refuses, how often it did, and the status of its last answer.
    private var refused: (id: Int64, count: Int, status: Int)?
    /// True when the last answer refused a notification, so that it is sent again or set aside.
    private(set) var isRefused = false
    /// True when the last search found nothing that the receiver gets, and has not come to the end.
    private(set) var isSearching = false
    private(set) var isSending = false
    /// The time before which nothing is sent, on the clock that never goes back.
    private(set) var nextAttempt: Int64 = 0

    private static let longestPause: Int64 = 300_000
    private static let longestRetryAfter: Int64 = 3_600_000
    private static let pageCount = 20
    /// How many numbers one read looks at, so that a filter that lets little through makes no long reads.
    private static let windowCount: Int64 = 20_000
    private static let refusalCount = 5
    /// How long something that was read may be sent: the store may have erased it since.
    private static let freshMilliseconds: Int64 = 1000
    static let unsavedCount: Int64 = 100

    init(_ destination: ForwardReceiver, _ store: NotificationStore) throws(NotificationStoreError) {
        self.destination = destination
        let cursor = try store.cursor(named: destination.cursorName)
        position = cursor?.position ?? 0
        savedPosition = position
        // `store prune` deletes nothing that a receiver lacks, and knows the receivers by their cursors.
        if cursor == nil { try store.setCursor(StoreCursor(position: 0), named: destination.cursorName) }
    }

    var isFailing: Bool { failureCount > 0 }
    var isDown: Bool { isFailing && !isRefused }

    func canSend(at time: Int64, upTo end: Int64) -> Bool {
        !isSending && time >= nextAttempt && (!waiting.isEmpty || position < end)
    }

    mutating func next(
        upTo end: Int64, at time: Int64, _ store: NotificationStore, _ report: (String) -> Void
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
                report(
                    "\(destination.host): notification \(waiting[0].id) cannot be rebuilt and is not passed on; "
                        + "run retentionctl store check --signatures")
                position = waiting.removeFirst().id
                continue
            }
            isSending = true
            return destination.request(jws)
        }
    }

    private mutating func setAside(_ store: NotificationStore, _ report: (String) -> Void)
        throws(NotificationStoreError) -> Bool
    {
        guard let refused, refused.id == waiting[0].id, refused.count >= Self.refusalCount else {
            return false
        }
        try store.setAside(refused.id, for: destination, status: refused.status)
        report(
            "\(destination.host): notification \(refused.id) is set aside, refused five times, the last time with "
                + "status \(refused.status)")
        (self.refused, isRefused, failureCount) = (nil, false, 0)
        position = waiting.removeFirst().id
        try save(store, always: true)
        return true
    }

    /// Only 2xx means that the receiver has it; a redirection is not followed, because it could lead anywhere.
    mutating func finish(
        _ result: Result<HTTPResponse, HTTPClientError>, at time: Int64, _ report: (String) -> Void
    ) {
        isSending = false
        isRefused = false
        let reason: String
        var pause = min(Self.longestPause, 1000 << min(failureCount, 20))
        switch result {
        case .success(let response) where (200...299).contains(response.status):
            if isFailing { report("\(destination.host): answers again") }
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
        report("\(destination.host): \(reason), again in \((pause + 999) / 1000) s")
    }

    /// Returns true for a status that says that the notification is at fault. 408, 425 and 429 ask for another attempt.
    private static func isRefusal(_ status: Int) -> Bool {
        (400...499).contains(status) && ![408, 425, 429].contains(status)
    }

    mutating func dropRead() {
        waiting = []
    }

    mutating func save(_ store: NotificationStore, always: Bool) throws(NotificationStoreError) {
        guard position != savedPosition, always || position - savedPosition >= Self.unsavedCount else {
            return
        }
        try store.setCursor(StoreCursor(position: position), named: destination.cursorName)
        savedPosition = position
    }
}
