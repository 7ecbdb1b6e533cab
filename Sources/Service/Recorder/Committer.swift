internal import NotificationStore
internal import System

/// The thread that commits: it takes what has gathered, stores it in one transaction, and takes what has gathered
/// meanwhile.
struct Committer: Sendable {
    let mailbox: StoreMailbox
    let open: KeeperOpening
    let batchCount: Int
    /// How long the thread waits before it tries again to open a store that it could not open.
    var retryMilliseconds: Int32 = 1000
    /// How often the thread looks after the store, and measures how far the receivers of notifications are behind.
    var measureMilliseconds: Int32 = 2000

    func run() {
        var keeper: (any NotificationKeeper)?
        var failure: NotificationStoreError?
        var isFailing = false
        var openAt: UInt64 = 0
        var measureAt: UInt64 = 0
        while true {
            let now = Clock.monotonicNanoseconds()
            if keeper == nil, now >= openAt {
                do throws(NotificationStoreError) {
                    keeper = try openAndPrepare()
                    failure = nil
                    mailbox.note(.open)
                } catch {
                    failure = error
                    // To refuse such a store, all of it was read.
                    let pause = error == .foreignLog ? max(60_000, retryMilliseconds) : retryMilliseconds
                    openAt = Clock.monotonicNanoseconds() + UInt64(pause) * 1_000_000
                    mailbox.note(.failing(error))
                }
            }
            if let keeper, now >= measureAt {
                let condition = Self.condition(of: keeper, writes: isFailing)
                isFailing = condition != .open
                mailbox.note(condition)
                measure(keeper)
                measureAt = now + UInt64(measureMilliseconds) * 1_000_000
            }
            let wait = keeper == nil ? retryMilliseconds : measureMilliseconds
            guard let batch = mailbox.take(limit: batchCount, waitMilliseconds: wait) else {
                // A log whose file was deleted since the last look is moved into the database before it is closed.
                if let keeper { _ = Self.condition(of: keeper, writes: false) }
                keeper = nil
                return mailbox.noteEnd()
            }
            guard !batch.isEmpty else { continue }
            let begun = Clock.monotonicNanoseconds()
            let outcomes =
                keeper?.store(batch.map(\.item))
                ?? batch.map { _ in StoreOutcome.notStored(failure ?? .missing) }
            if keeper != nil {
                let condition = Self.condition(after: outcomes)
                isFailing = condition != .open
                mailbox.note(condition)
            }
            let microseconds = (Clock.monotonicNanoseconds() - begun) / 1000
            mailbox.finish(batch, outcomes, microseconds: microseconds)
        }
    }

    /// Opens the store, and has it do what would hold up the first commit. Until then no health check says that the store
    /// takes notifications.
    private func openAndPrepare() throws(NotificationStoreError) -> any NotificationKeeper {
        let opened = try open()
        try opened.prepare { mailbox.note(.preparing(logByteCount: $0)) }
        return opened
    }

    /// Measures how far the receivers of notifications are behind. While the store cannot be read, the last measurement holds.
    private func measure(_ keeper: any NotificationKeeper) {
        var backlogs: [ForwardBacklog] = []
        for receiver in mailbox.receivers {
            do throws(NotificationStoreError) {
                let oldest = try keeper.oldestWaiting(for: receiver)
                let count = try keeper.setAsideCount(for: receiver)
                backlogs.append(
                    ForwardBacklog(receiver: receiver, oldestMilliseconds: oldest, setAsideCount: count)
                )
            } catch {
                return
            }
        }
        mailbox.note(backlogs)
    }

    /// A balancer sends nothing to a recorder whose store fails, so the recorder itself finds out when that is over.
    private static func condition(of keeper: any NotificationKeeper, writes: Bool) -> StoreCondition {
        do throws(NotificationStoreError) {
            try keeper.probe(writes: writes)
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
