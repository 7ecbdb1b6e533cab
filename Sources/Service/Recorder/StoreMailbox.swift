package import NotificationStore
internal import Synchronization
internal import System

/// What the thread that answers and the thread that commits hand to each other. While one batch is committed, the next one
/// gathers here.
final class StoreMailbox: Sendable {
    struct Entry: Sendable {
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

    func end() { state.withLock { $0.hasEnded = true } }

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

    func set(_ backlogs: [ForwardBacklog]) {
        state.withLock { state in
            state.backlogs = backlogs.filter { state.receivers.contains($0.receiver) }
        }
    }

    func set(_ condition: StoreCondition) {
        let isNew = state.withLock { state in
            defer { state.condition = condition }
            return state.condition != condition
        }
        if isNew { completions.announce() }
    }
}

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

package enum StoreCondition: Sendable, Hashable {
    /// The first opening has not ended yet. The check of a file that was changed after its log, and a long log, take time.
    case opening
    case open
    case failing(NotificationStoreError)
}

/// What the recorder asks of a store. Tests have another one.
package protocol RecordingStore {
    /// Does what would hold up the first commit, which may take long. The thread that commits calls it once, before all others.
    func prepare() throws(NotificationStoreError)

    func store(_ items: [StoreItem]) -> [StoreOutcome]

    /// Returns when the first notification came that a receiver does not have yet, milliseconds since 1970; nil when the
    /// receiver has everything.
    func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64?

    func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64

    /// Finds out whether notifications can be stored, although none comes; with `writes` by writing something, as after
    /// a failure that only a write can show to be over.
    func probe(writes: Bool) throws(NotificationStoreError)
}

extension NotificationStore: RecordingStore {}

/// Opens the store. The thread that commits calls it, again after each failure.
package typealias StoreOpening = @Sendable () throws(NotificationStoreError) -> any RecordingStore

/// The thread that commits: it takes what has gathered, stores it in one transaction, and takes what has gathered
/// meanwhile.
struct Committer: Sendable {
    let mailbox: StoreMailbox
    let open: StoreOpening
    let batchCount: Int
    /// How long the thread waits before it tries again to open a store that it could not open.
    var retryMilliseconds: Int32 = 1000
    /// How often the thread looks after the store, and measures how far the receivers of notifications are behind.
    var measureMilliseconds: Int32 = 2000

    func run() {
        var store: (any RecordingStore)?
        var failure: NotificationStoreError?
        var isFailing = false
        var openAt: UInt64 = 0
        var measureAt: UInt64 = 0
        while true {
            let now = Clock.monotonicNanoseconds()
            if store == nil, now >= openAt {
                do throws(NotificationStoreError) {
                    store = try openAndPrepare()
                    failure = nil
                    mailbox.set(.open)
                } catch {
                    failure = error
                    // To refuse such a store, all of it was read.
                    let pause = error == .foreignLog ? max(60_000, retryMilliseconds) : retryMilliseconds
                    openAt = Clock.monotonicNanoseconds() + UInt64(pause) * 1_000_000
                    mailbox.set(.failing(error))
                }
            }
            if let store, now >= measureAt {
                let condition = Self.condition(of: store, writes: isFailing)
                isFailing = condition != .open
                mailbox.set(condition)
                measure(store)
                measureAt = now + UInt64(measureMilliseconds) * 1_000_000
            }
            let wait = store == nil ? retryMilliseconds : measureMilliseconds
            guard let batch = mailbox.take(limit: batchCount, waitMilliseconds: wait) else {
                // A log whose file was deleted since the last look is moved into the database before it is closed.
                if let store { _ = Self.condition(of: store, writes: false) }
                store = nil
                return mailbox.end()
            }
            guard !batch.isEmpty else { continue }
            let begun = Clock.monotonicNanoseconds()
            let outcomes =
                store?.store(batch.map(\.item))
                ?? batch.map { _ in StoreOutcome.notStored(failure ?? .missing) }
            if store != nil {
                let condition = Self.condition(after: outcomes)
                isFailing = condition != .open
                mailbox.set(condition)
            }
            let microseconds = (Clock.monotonicNanoseconds() - begun) / 1000
            mailbox.finish(batch, outcomes, microseconds: microseconds)
        }
    }

    /// Opens the store, and has it do what would hold up the first commit. Until then no health check says that the store
    /// takes notifications.
    private func openAndPrepare() throws(NotificationStoreError) -> any RecordingStore {
        let opened = try open()
        try opened.prepare()
        return opened
    }

    /// Measures how far the receivers of notifications are behind. While the store cannot be read, the last measurement holds.
    private func measure(_ store: any RecordingStore) {
        var backlogs: [ForwardBacklog] = []
        for receiver in mailbox.receivers {
            do throws(NotificationStoreError) {
                let oldest = try store.oldestWaiting(for: receiver)
                let count = try store.setAsideCount(for: receiver)
                backlogs.append(
                    ForwardBacklog(receiver: receiver, oldestMilliseconds: oldest, setAsideCount: count)
                )
            } catch {
                return
            }
        }
        mailbox.set(backlogs)
    }

    /// A balancer sends nothing to a recorder whose store fails, so the recorder itself finds out when that is over.
    private static func condition(of store: any RecordingStore, writes: Bool) -> StoreCondition {
        do throws(NotificationStoreError) {
            try store.probe(writes: writes)
            return .open
        } catch {
            return .failing(error)
        }
    }

    /// A batch in which nothing could be stored for a reason that is not about its values shows a failing store.
    private static func condition(after outcomes: [StoreOutcome]) -> StoreCondition {
        for outcome in outcomes {
            guard case .notStored(let error) = outcome else { return .open }
            if error.isAboutItem { return .open }
        }
        if case .notStored(let error)? = outcomes.first { return .failing(error) }
        return .open
    }
}
