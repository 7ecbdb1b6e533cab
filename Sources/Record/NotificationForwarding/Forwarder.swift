internal import HTTPClient
public import NotificationStore
internal import SQL

/// Passes stored notifications on to receivers: the raw body, at least once, and to each receiver in the order of
/// storing. Where a receiver has come to is kept in the store, so a program that was killed goes on there.
///
///     let receiver = try ForwardReceiver(url: "https://example.com/notifications")
///     let forwarder = try Forwarder(store, [receiver], try HTTPClient()) { event in print(event) }
///     let failing = try forwarder.run(follow: false)
///
/// Each receiver has a lane with one request under way at most, and no lane waits for another: a receiver that is down, slow
/// or cannot be reached at all delays nobody else.
public final class Forwarder {
    private let store: NotificationStore
    private let transport: any ForwardTransport
    private let timing: StoreTiming
    private let report: (ForwardEvent) -> Void
    private var lanes: [ForwardLane]
    /// The lanes of the requests under way, by the numbers of the requests.
    private var laneOfRequest: [Int: Int] = [:]
    private var lastRequest = 0
    /// The time before which the store is not read again after a failure, and how long the next such pause is.
    private var storePausedUntil: Int64 = 0
    private var storePause = Forwarder.pollMilliseconds
    /// The greatest number that may be read, and the time at which it was asked for.
    private var end: Int64 = 0
    private var endReadAt: Int64?
    private var savedAt: Int64 = 0

    /// How often positions are saved.
    private static let saveMilliseconds: Int64 = 1000
    /// How often the store is asked for new notifications.
    private static let pollMilliseconds: Int64 = 500
    /// The longest wait for an answer before lanes are looked at anew.
    private static let waitMilliseconds: Int32 = 50
    /// The longest pause after a failure of the store.
    private static let longestPause: Int64 = 60_000

    /// Begins where each receiver has come to; a new one gets everything that is stored.
    public init(
        _ store: NotificationStore, _ destinations: [ForwardReceiver], _ transport: any ForwardTransport,
        timing: StoreTiming = .system, report: @escaping (ForwardEvent) -> Void
    ) throws(NotificationStoreError) {
        self.store = store
        self.transport = transport
        self.timing = timing
        self.report = report
        var lanes: [ForwardLane] = []
        for destination in destinations { lanes.append(try ForwardLane(destination, store)) }
        self.lanes = lanes
    }

    /// Passes on what is stored, and with `follow` what comes later, until `isOver` returns true. Then it waits for the
    /// requests under way.
    ///
    /// Without `follow`, each receiver is given up at its first failure, and the function returns when nothing is left to
    /// do. A notification that a receiver refuses is no such failure: it is sent five times and then set aside. With `follow`, a failure of the store that may pass is waited for.
    ///
    /// - Returns: the hosts of the receivers whose last attempt failed.
    public func run(
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

    /// Does something with the store. With `follow`, a failure that may pass is reported, and the store is left alone for a
    /// while; what is under way goes on meanwhile.
    private func pausing(_ follow: Bool, _ body: () throws(NotificationStoreError) -> Void)
        throws(NotificationStoreError)
    {
        guard timing.elapsed() >= storePausedUntil else { return }
        do throws(NotificationStoreError) {
            try body()
            storePause = Self.pollMilliseconds
        } catch {
            guard follow, error.retry != .never else { throw error }
            report(.storeFailed(code: error.code, milliseconds: storePause))
            storePausedUntil = timing.elapsed() + storePause
            storePause = min(storePause * 2, Self.longestPause)
        }
    }

    /// How long to sleep when nothing is under way.
    private var idleMilliseconds: Int64 {
        let now = timing.elapsed()
        let attempts = lanes.filter(\.isFailing).map { max(1, $0.nextAttempt - now) }
        return min(Self.pollMilliseconds, attempts.min() ?? Self.pollMilliseconds)
    }

    /// Asks the store up to which number it may be read, when some time has passed.
    private func readEnd() throws(NotificationStoreError) {
        let now = timing.elapsed()
        if let endReadAt, now - endReadAt < Self.pollMilliseconds { return }
        end = try store.settledNotificationID()
        endReadAt = now
    }

    /// Begins the next request of each lane that can send. A request that cannot be begun counts as a failed attempt of its
    /// lane alone.
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

    /// Takes the answers that have come. When there is none, waits a moment for one.
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
