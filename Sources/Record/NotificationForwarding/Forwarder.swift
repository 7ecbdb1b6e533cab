internal import HTTPClient
public import NotificationStore
internal import SQL

/// Passes every stored notification on to receivers: the raw body, at least once, and to each receiver in the order of
/// storing. Where a receiver has come to is kept in the store, so a program that was killed goes on there.
///
///     let receiver = try ForwardReceiver(url: "https://example.com/notifications")
///     let forwarder = try Forwarder(store, [receiver], try HTTPClient()) { event in print(event) }
///     let failing = try forwarder.run(follow: false)
///
/// A receiver that is down or slow does not hold up the others for longer than the client waits for one answer.
public final class Forwarder {
    private let store: NotificationStore
    private let transport: any ForwardTransport
    private let timing: StoreTiming
    private let report: (ForwardEvent) -> Void
    private var lanes: [ForwardLane]
    /// The lane that gets its turn next.
    private var turn = 0
    /// The lanes of the requests of a round, by their numbers.
    private var laneOfRequest: [Int] = []
    private var storeError: NotificationStoreError?

    /// How long a round lasts, after which all lanes are looked at anew and positions are saved.
    private static let roundMilliseconds: Int64 = 1000
    /// How often the store is asked for new notifications.
    private static let pollMilliseconds: Int64 = 500

    /// Begins where each receiver has come to; a new one gets everything that is stored.
    public init(
        _ store: NotificationStore,
        _ destinations: [ForwardReceiver],
        _ transport: any ForwardTransport,
        timing: StoreTiming = .system,
        report: @escaping (ForwardEvent) -> Void
    ) throws(NotificationStoreError) {
        self.store = store
        self.transport = transport
        self.timing = timing
        self.report = report
        var lanes: [ForwardLane] = []
        for destination in destinations { lanes.append(try ForwardLane(destination, store)) }
        self.lanes = lanes
    }

    /// Passes on what is stored, and with `follow` what comes later, until `isOver` returns true.
    ///
    /// Without `follow`, each receiver is given up at its first failure, and the function returns when nothing is left to
    /// do. With `follow`, a failure of the store that may pass is waited for.
    ///
    /// - Returns: the hosts of the receivers whose last attempt failed.
    public func run(
        follow: Bool,
        isOver: () -> Bool = { false }
    ) throws(NotificationStoreError) -> [String] {
        var pause = Self.pollMilliseconds
        while !isOver() {
            do throws(NotificationStoreError) {
                let end = try store.settledNotificationID()
                let isIdle = try !round(upTo: end, givesUp: !follow)
                pause = Self.pollMilliseconds
                if !follow, isIdle { break }
                if isIdle { timing.sleep(pause) }
            } catch {
                guard follow, error.retry != .never else { throw error }
                report(.storeFailed(code: error.code, milliseconds: pause))
                timing.sleep(pause)
                pause = min(pause * 2, 60_000)
            }
        }
        return lanes.filter(\.isFailing).map(\.destination.host)
    }

    /// Sends what can be sent, for about a second. Returns false when there was nothing to do.
    private func round(upTo end: Int64, givesUp: Bool) throws(NotificationStoreError) -> Bool {
        laneOfRequest = []
        storeError = nil
        // Each round reads the store again: what was erased meanwhile is not passed on.
        for place in lanes.indices { lanes[place].dropRead() }
        let start = timing.elapsed()
        do throws(HTTPClientError) {
            _ = try transport.performAll(
                concurrency: max(1, lanes.count),
                isOver: { false },
                next: {
                    guard self.timing.elapsed() - start < Self.roundMilliseconds else { return nil }
                    return self.next(upTo: end, givesUp: givesUp)
                },
                finished: { number, result in
                    let place = self.laneOfRequest[number]
                    self.lanes[place].finish(result, at: self.timing.elapsed(), self.report)
                    self.save(always: false)
                }
            )
        } catch {
            // The client itself failed; what was under way counts as failed.
            for place in lanes.indices where lanes[place].isSending {
                lanes[place].finish(.failure(error), at: timing.elapsed(), report)
            }
        }
        save(always: true)
        if let storeError { throw storeError }
        return !laneOfRequest.isEmpty
    }

    /// Returns the next request of the lane whose turn it is.
    private func next(upTo end: Int64, givesUp: Bool) -> HTTPRequest? {
        guard storeError == nil else { return nil }
        for step in lanes.indices {
            let place = (turn + step) % lanes.count
            guard lanes[place].canSend(at: timing.elapsed(), upTo: end),
                !givesUp || !lanes[place].isFailing
            else { continue }
            do throws(NotificationStoreError) {
                guard let request = try lanes[place].next(upTo: end, store, report) else { continue }
                turn = place + 1
                laneOfRequest.append(place)
                return request
            } catch {
                storeError = error
                return nil
            }
        }
        return nil
    }

    private func save(always: Bool) {
        for place in lanes.indices {
            do throws(NotificationStoreError) {
                try lanes[place].save(store, always: always)
            } catch {
                storeError = error
            }
        }
    }
}
