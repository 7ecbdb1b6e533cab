package import NotificationStore
internal import Synchronization
internal import System

/// What the thread that answers and the thread that commits hand to each other. While one batch is committed, the next one
/// gathers here.
final class StoreMailbox: Sendable {
    struct Entry: Sendable {
        /// A number that no other notification of this process has.
        let number: UInt64
        let item: StoreItem
        let byteCount: Int
    }

    struct Finished: Sendable {
        let numbers: [UInt64]
        let outcomes: [StoreOutcome]
        let microseconds: UInt64
    }

    private struct State {
        /// The notifications of the present turn of the thread that answers.
        var arriving: [Entry] = []
        var entries: [Entry] = []
        var byteCount = 0
        /// The notifications that were taken and have no outcome yet.
        var takenCount = 0
        var finished: [Finished] = []
        var condition = StoreCondition.opening
        var receivers: [ForwardReceiver] = []
        var backlogs: [ForwardBacklog] = []
        var isStopping = false
        var hasEnded = false

        var pendingCount: Int { arriving.count + entries.count + takenCount }
    }

    private let state = Mutex(State())
    private let countLimit: Int
    private let byteCountLimit: Int
    private let work: WakeUp
    let completions: WakeUp

    init(countLimit: Int, byteCountLimit: Int) throws(SystemCallError) {
        self.countLimit = countLimit
        self.byteCountLimit = byteCountLimit
        work = try WakeUp()
        completions = try WakeUp()
    }

    // MARK: - The thread that answers

    func hasRoom(byteCount: Int) -> Bool {
        state.withLock { state in
            state.pendingCount < countLimit && state.byteCount + byteCount <= byteCountLimit
        }
    }

    func add(_ entry: Entry) {
        state.withLock { state in
            state.arriving.append(entry)
            state.byteCount += entry.byteCount
        }
    }

    /// Hands the notifications of a turn to the thread that commits. All of a turn go together: if the first were handed over
    /// alone, its commit would start at once and have no other notification.
    func handOver() {
        let hasSome = state.withLock { state in
            state.entries += state.arriving
            defer { state.arriving = [] }
            return !state.arriving.isEmpty
        }
        if hasSome { work.announce() }
    }

    func collect() -> (finished: [Finished], condition: StoreCondition) {
        completions.clear()
        return state.withLock { state in
            defer { state.finished = [] }
            return (state.finished, state.condition)
        }
    }

    var pendingCount: Int { state.withLock { $0.pendingCount } }

    func setReceivers(_ receivers: [ForwardReceiver]) {
        state.withLock { state in
            state.receivers = receivers
            state.backlogs.removeAll { !receivers.contains($0.receiver) }
        }
    }

    /// The backlogs as they were measured last. A receiver whose backlog could not be measured yet has none.
    var backlogs: [ForwardBacklog] { state.withLock { $0.backlogs } }

    /// Lets the thread that commits end once nothing waits.
    func stop() {
        state.withLock { $0.isStopping = true }
        work.announce()
    }

    /// Lets the thread that commits end once nothing waits, and waits for that. This process must not end in the middle of a
    /// checkpoint of the store.
    func stopAndWait(milliseconds: UInt64) {
        stop()
        let end = Clock.monotonicNanoseconds() + milliseconds * 1_000_000
        while !state.withLock({ $0.hasEnded }), Clock.monotonicNanoseconds() < end {
            _ = try? Readiness.wait(for: [], timeoutMilliseconds: 2)
        }
    }

    // MARK: - The thread that commits

    func noteEnd() { state.withLock { $0.hasEnded = true } }

    /// Takes up to `limit` notifications. Waits for the first one when there is none.
    ///
    /// - Returns: nothing when none came in time; nil when this thread has to end.
    func take(limit: Int, waitMilliseconds: Int32) -> [Entry]? {
        if !state.withLock({ $0.isStopping || !$0.entries.isEmpty }) {
            _ = try? Readiness.wait(for: [work.descriptor.number], timeoutMilliseconds: waitMilliseconds)
        }
        work.clear()
        return state.withLock { state in
            if state.isStopping, state.entries.isEmpty { return nil }
            let batch = Array(state.entries.prefix(limit))
            state.entries.removeFirst(batch.count)
            state.takenCount += batch.count
            return batch
        }
    }

    func finish(_ batch: [Entry], _ outcomes: [StoreOutcome], microseconds: UInt64) {
        state.withLock { state in
            state.takenCount -= batch.count
            for entry in batch { state.byteCount -= entry.byteCount }
            state.finished.append(
                Finished(numbers: batch.map(\.number), outcomes: outcomes, microseconds: microseconds)
            )
        }
        completions.announce()
    }

    var receivers: [ForwardReceiver] { state.withLock { $0.receivers } }

    /// Notes backlogs. Those of receivers that were removed meanwhile are dropped.
    func note(_ backlogs: [ForwardBacklog]) {
        state.withLock { state in
            state.backlogs = backlogs.filter { state.receivers.contains($0.receiver) }
        }
    }

    func note(_ condition: StoreCondition) {
        let isNew = state.withLock { state in
            defer { state.condition = condition }
            return state.condition != condition
        }
        if isNew { completions.announce() }
    }
}

/// What waits to be passed on to one receiver.
struct ForwardBacklog: Sendable, Hashable {
    let receiver: ForwardReceiver
    /// When the first notification came that the receiver does not have yet, milliseconds since 1970; nil when the receiver
    /// has everything.
    let oldestMilliseconds: Int64?
    let setAsideCount: Int64

    /// How long that notification has waited, in whole seconds; 0 when the receiver has everything.
    func seconds(atMilliseconds now: Int64) -> UInt64 {
        guard let oldestMilliseconds, now > oldestMilliseconds else { return 0 }
        return UInt64(now - oldestMilliseconds) / 1000
    }
}

/// The condition of the store as the recorder knows it.
package enum StoreCondition: Sendable, Hashable {
    /// The first opening has not ended yet.
    case opening
    /// The file of the store, of so many bytes, is checked before it is opened: it was changed after its log.
    case checking(byteCount: Int)
    /// The store is open. Its write-ahead log of so many bytes is made sure of before the store takes notifications.
    case preparing(logByteCount: Int64)
    case open
    case failing(NotificationStoreError)
}

/// What keeps notifications. Tests have other keepers than a store.
package protocol NotificationKeeper {
    /// Does what would hold up the first commit, which may take long. The thread that commits calls it once, before all others.
    /// It calls `willTakeLong` beforehand when this takes long, with the bytes of the write-ahead log.
    func prepare(willTakeLong: (_ logByteCount: Int64) -> Void) throws(NotificationStoreError)

    /// Stores items. What it reports as stored is durable.
    func store(_ items: [StoreItem]) -> [StoreOutcome]

    /// Returns when the first notification came that a receiver does not have yet, milliseconds since 1970; nil when the
    /// receiver has everything.
    func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64?

    func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64

    /// Finds out whether notifications can be stored, although none comes; with `writes` by writing something, as after
    /// a failure that only a write can show to be over.
    func probe(writes: Bool) throws(NotificationStoreError)
}

extension NotificationStore: NotificationKeeper {}

/// Opens the store. The thread that commits calls it, again after each failure.
package typealias KeeperOpening = @Sendable () throws(NotificationStoreError) -> any NotificationKeeper
