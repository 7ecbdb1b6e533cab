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
        var entries: [Entry] = []
        /// How many notifications must have gathered before the thread that commits is woken.
        var wakingCount = 1
        var byteCount = 0
        /// The notifications that were taken and have no outcome yet.
        var takenCount = 0
        var finished: [Finished] = []
        var condition = StoreCondition.opening
        var unchecked: StoredUnchecked?
        var receivers: [ForwardReceiver] = []
        var backlogs: [ForwardBacklog] = []
        var isStopping = false
        var hasEnded = false
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

    /// Returns true when so many notifications with so many bytes in all may be added.
    func hasRoom(count: Int, byteCount: Int) -> Bool {
        state.withLock { state in
            state.entries.count + state.takenCount + count <= countLimit
                && state.byteCount + byteCount <= byteCountLimit
        }
    }

    /// Adds notifications to the batch that gathers, and wakes the thread that commits when there are enough.
    func add(_ entries: [Entry]) {
        let isEnough = state.withLock { state in
            state.entries += entries
            for entry in entries { state.byteCount += entry.byteCount }
            return state.entries.count >= state.wakingCount || isHalfFull(state)
        }
        if isEnough { work.announce() }
    }

    /// True when the notifications without an outcome take half of the room. Then nothing may wait for a pause.
    private func isHalfFull(_ state: State) -> Bool {
        2 * (state.entries.count + state.takenCount) >= countLimit || 2 * state.byteCount >= byteCountLimit
    }

    /// Returns the batches that ended since the last call, and the condition of the store.
    func collect() -> (finished: [Finished], condition: StoreCondition) {
        completions.clear()
        return state.withLock { state in
            defer { state.finished = [] }
            return (state.finished, state.condition)
        }
    }

    /// What the store had of notifications that name no app when it was opened first; nil until then.
    var unchecked: StoredUnchecked? { state.withLock { $0.unchecked } }

    /// The number of notifications without an outcome.
    var pendingCount: Int { state.withLock { $0.entries.count + $0.takenCount } }

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

    /// Waits until enough notifications have gathered, and takes up to `limit` of them.
    ///
    /// - Parameters:
    ///   - limit: the most notifications of a batch.
    ///   - pause: how many notifications and what quiet end a pause, and when it ends without them. After the pause, one is
    ///     enough.
    ///   - waitMilliseconds: how long this function waits after the pause.
    /// - Returns: nothing when the time is over; nil when this thread has to end.
    func take(limit: Int, pause: CommitPause, waitMilliseconds: Int32) -> [Entry]? {
        var countBefore: Int?
        while true {
            work.clear()
            let rest = pause.restMilliseconds
            let enough = rest > 0 ? min(limit, pause.fullCount) : 1
            let (batch, isOver, count) = state.withLock { state in
                let count = state.entries.count
                let isQuiet = count > 0 && count == countBefore
                let isUrgent = state.isStopping || isQuiet || count > 0 && isHalfFull(state)
                guard count >= enough || isUrgent else {
                    state.wakingCount = enough
                    return ([Entry](), false, count)
                }
                // While the batch is committed, nobody needs to wake this thread.
                state.wakingCount = .max
                let batch = Array(state.entries.prefix(limit))
                state.entries.removeFirst(batch.count)
                state.takenCount += batch.count
                return (batch, batch.isEmpty, count)
            }
            if isOver { return nil }
            if !batch.isEmpty { return batch }
            let woken = try? Readiness.wait(
                for: [work.descriptor.number],
                timeoutMilliseconds: rest > 0 ? min(rest, pause.quietMilliseconds) : waitMilliseconds
            )
            let isOverdue = woken?.isEmpty != false
            if rest == 0, isOverdue { return [] }
            countBefore = isOverdue ? count : nil
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

    /// Notes what the store has of notifications that name no app.
    func note(_ unchecked: StoredUnchecked) { state.withLock { $0.unchecked = unchecked } }

    /// Notes the condition of the store.
    func note(_ condition: StoreCondition) {
        let isNew = state.withLock { state in
            defer { state.condition = condition }
            return state.condition != condition
        }
        if isNew { completions.announce() }
    }
}
