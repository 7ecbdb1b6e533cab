internal import NotificationStore
internal import Synchronization
internal import System

/// What the thread that answers and the thread that commits hand to each other. While one batch is committed, the next one
/// gathers here.
final class StoreMailbox: Sendable {
    /// A notification that waits for its commit.
    struct Entry: Sendable {
        /// A number that no other notification of this process has.
        let number: UInt64
        let item: StoreItem
        /// The bytes of the request's body.
        let byteCount: Int
    }

    /// A batch whose commit has ended.
    struct Finished: Sendable {
        let numbers: [UInt64]
        let outcomes: [StoreOutcome]
        let microseconds: UInt64
    }

    private struct State {
        /// The notifications of the present turn of the thread that answers.
        var arriving: [Entry] = []
        /// The notifications for the next commit.
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

        /// The notifications without an outcome.
        var pendingCount: Int { arriving.count + entries.count + takenCount }
    }

    private let state = Mutex(State())
    private let countLimit: Int
    private let byteCountLimit: Int
    /// Wakes the thread that commits.
    private let work: WakeUp
    /// Wakes the thread that answers.
    let completions: WakeUp

    /// - Throws: the errno of `eventfd`.
    init(countLimit: Int, byteCountLimit: Int) throws(SystemCallError) {
        self.countLimit = countLimit
        self.byteCountLimit = byteCountLimit
        work = try WakeUp()
        completions = try WakeUp()
    }

    // MARK: - The thread that answers

    /// Returns true when a notification with so many bytes may be added.
    func hasRoom(byteCount: Int) -> Bool {
        state.withLock { state in
            state.pendingCount < countLimit && state.byteCount + byteCount <= byteCountLimit
        }
    }

    /// Adds a notification of the present turn.
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

    /// Returns the batches that ended since the last call, and the condition of the store.
    func collect() -> (finished: [Finished], condition: StoreCondition) {
        completions.clear()
        return state.withLock { state in
            defer { state.finished = [] }
            return (state.finished, state.condition)
        }
    }

    /// The number of notifications without an outcome.
    var pendingCount: Int { state.withLock { $0.pendingCount } }

    /// Names the receivers whose backlogs are measured from now on.
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

    /// Says that the thread that commits is about to end, and has closed the store.
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

    /// Hands back the outcomes of a batch.
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

    /// The receivers whose backlogs are measured.
    var receivers: [ForwardReceiver] { state.withLock { $0.receivers } }

    /// Notes backlogs. Those of receivers that were removed meanwhile are dropped.
    func note(_ backlogs: [ForwardBacklog]) {
        state.withLock { state in
            state.backlogs = backlogs.filter { state.receivers.contains($0.receiver) }
        }
    }

    /// Notes the condition of the store.
    func note(_ condition: StoreCondition) {
        let isNew = state.withLock { state in
            defer { state.condition = condition }
            return state.condition != condition
        }
        if isNew { completions.announce() }
    }
}
