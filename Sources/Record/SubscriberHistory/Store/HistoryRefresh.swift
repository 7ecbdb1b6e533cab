public import NotificationStore
internal import System

/// Brings the states of subscribers in the store up to date: the facts of each as a function of time.
///
/// The first refresh derives all states. A later one derives those of subscribers who got rows since, with the same result.
///
///     let refresh = HistoryRefresh(store, app: "com.example.app", environment: "Production")
///     let report = try refresh.run()
public struct HistoryRefresh {
    /// What a refresh did.
    public struct Report: Sendable, Hashable {
        /// True when all states were derived, and not only those of subscribers who changed.
        public internal(set) var isFull = false
        /// The subscribers whose states were derived.
        public internal(set) var derivedCount = 0
        /// Those of them who have no facts, because they have too many rows (``FactPieces/tooLarge``).
        public internal(set) var tooLargeCount = 0

        /// The report of a refresh that has not begun.
        public init() {}
    }

    let store: NotificationStore
    let app: String
    let environment: String
    /// True when threads that read beside the caller run in the background (`BackgroundWork`), so that a recorder on the same
    /// machine goes first. The caller's thread then reads nothing.
    public var givesWay = false
    /// The most new rows of a kind with which a refresh takes older rows from the states. After more of them, it reads all rows of
    /// the subscribers who got some.
    public var greatestNewRowCount = NotificationStore.newRowCount

    /// Makes a refresh for an app in an environment.
    public init(_ store: NotificationStore, app: String, environment: String) {
        self.store = store
        self.app = app
        self.environment = environment
    }

    /// Takes the lock without which states are neither derived nor read.
    ///
    /// - Throws: `store.states-locked` and the errors of the store.
    public func lock() throws(NotificationStoreError) -> StatesLock {
        try store.lockStates(app: app, environment: environment)
    }

    /// Derives the states while no other program does.
    ///
    /// - Parameters:
    ///   - isFull: true to derive all states, also those that are up to date.
    ///   - progress: called after each few hundred subscribers.
    /// - Returns: what was done.
    /// - Throws: the errors of the store. What was derived before stays.
    public func run(
        isFull: Bool = false,
        progress: (Report) -> Void = { _ in }
    ) throws(NotificationStoreError) -> Report {
        let lock = try lock()
        let report = try run(isFull: isFull, holding: lock, progress: progress)
        try lock.release()
        return report
    }

    /// Derives the states under a lock that the caller goes on holding while it reads them.
    ///
    /// - Parameters:
    ///   - isFull: true to derive all states, also those that are up to date.
    ///   - lock: the lock of the app and the environment.
    ///   - progress: called after each few hundred subscribers.
    /// - Returns: what was done.
    /// - Throws: `store.states-locked` when the lock was lost and another program derives the states, and the errors of the
    ///   store. What was derived before stays.
    public func run(
        isFull: Bool = false,
        holding lock: borrowing StatesLock,
        progress: (Report) -> Void = { _ in }
    ) throws(NotificationStoreError) -> Report {
        let begun = try begin(isFull: isFull)
        let to = try store.settledMark()
        let claim = begun.claim
        var report = Report()
        var derived: [SubscriberState] = []
        func take(_ page: DerivedPage) throws(NotificationStoreError) {
            report.derivedCount += page.states.count
            report.tooLargeCount += page.tooLargeCount
            derived += page.states
            // So that few transactions have fewer states than they may.
            if derived.count >= Self.writtenCount {
                try store.write(derived, app: app, environment: environment, with: claim)
                derived = []
            }
            progress(report)
        }
        if let from = begun.from {
            try forEachChanged(from: from, to: to, take: take)
        } else {
            report.isFull = true
            try store.removeStates(app: app, environment: environment, with: claim)
            try forEachSubscriber(packedUpTo: to, take: take)
        }
        try store.write(derived, app: app, environment: environment, with: claim)
        progress(report)
        try end(begun, at: to)
        return report
    }

    /// Derives the states of the subscribers who got rows.
    private func forEachChanged(
        from: StateMark,
        to: StateMark,
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        let newer = try store.newRows(
            from: from,
            to: to,
            app: app,
            environment: environment,
            atMost: greatestNewRowCount
        )
        // New rows name their subscribers, so only synchronizations are asked for then.
        var start = newer == nil ? from : to
        start.synchronizations = from.synchronizations
        var changed = try store.changedSubscribers(from: start, to: to, app: app, environment: environment)
        if let newer { changed.formUnion(newer.keys) }
        changed.formUnion(try store.successors(of: changed))
        var rest = changed.sorted()[...]
        try forEachDerivedPage(
            packedUpTo: to,
            next: {
                let page = Array(rest.prefix(NotificationStore.subscriberPageCount))
                rest = rest.dropFirst(page.count)
                guard !page.isEmpty else { return nil }
                return .listed(page, newer.map { all in page.reduce(into: [:]) { $0[$1] = all[$1] } })
            },
            take: take
        )
    }

    /// Derives the states of all subscribers.
    private func forEachSubscriber(
        packedUpTo mark: StateMark,
        take: (DerivedPage) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        var last: SubscriberRange?
        try forEachDerivedPage(
            packedUpTo: mark,
            next: { () throws(NotificationStoreError) in
                if let last, last.last == nil { return nil }
                let range = try store.subscriberRange(after: last?.last)
                last = range
                return .range(range)
            },
            take: take
        )
    }

    /// Calls `take` with the rows of subscribers, page by page. A subscriber without rows is among them.
    ///
    /// With `leavingOutErased`, rows of an erased subscription or download, which the erasure may not have deleted yet, do not
    /// count.
    func forEachPage(
        of ids: [String],
        leavingOutErased: Bool = false,
        take: ([SubscriberRows]) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        var rest = ids[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(NotificationStore.subscriberPageCount))
            let read = try store.subscribers(page, app: app, environment: environment)
            rest = rest.dropFirst(read.readCount)
            var rows = page.prefix(read.readCount).map {
                read.rows[$0] ?? SubscriberRows(originalTransactionID: $0)
            }
            if leavingOutErased { try leaveOutErased(&rows) }
            try take(rows)
        }
    }

    private func leaveOutErased(_ page: inout [SubscriberRows]) throws(NotificationStoreError) {
        let gone = try store.entombed(Set(page.map(\.originalTransactionID)))
        let downloads = try store.entombed(downloads: page.reduce(into: []) { $0.formUnion($1.downloads) })
        for place in page.indices {
            let id = page[place].originalTransactionID
            if gone.contains(id) { page[place] = SubscriberRows(originalTransactionID: id) }
            page[place].leaveOut(downloads: downloads)
        }
    }

    /// Derives the facts of some subscribers from their rows, at a time of which their states say nothing.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers.
    ///   - now: the time, milliseconds since 1970.
    /// - Returns: the facts by identifier; none for a subscriber without rows.
    /// - Throws: the errors of the store.
    public func facts(of ids: [String], at now: Int64) throws(NotificationStoreError) -> [String:
        HistoryFacts]
    {
        var found: [String: HistoryFacts] = [:]
        let covered = ids.isEmpty ? [] : try covered()
        try forEachPage(of: ids, leavingOutErased: true) { page throws(NotificationStoreError) in
            for rows in page where rows.count > 0 {
                let history = try history(rows, leavingOutErased: true)
                guard let payloads = history.payloads(covered: covered) else { continue }
                found[rows.originalTransactionID] = HistoryFacts(payloads, now: now)
            }
        }
        return found
    }

    /// The payloads of one subscriber, with those from before a move to Advanced Commerce; nil when there is none.
    ///
    /// - Throws: `store.too-many-rows`, and the errors of the store.
    public func payloads(of id: String) throws(NotificationStoreError) -> SubscriberPayloads? {
        guard let rows = try store.subscribers([id], app: app, environment: environment).rows[id] else {
            return nil
        }
        guard let payloads = try history(rows).payloads(covered: try covered()) else { throw .tooManyRows }
        return payloads
    }

    /// The ranges of time for which every notification is in the store.
    ///
    /// - Throws: the errors of the store.
    public func covered() throws(NotificationStoreError) -> [TimeRange] {
        try store.coverage(app: app, environment: environment).map(\.range)
    }

    /// How many states are written together.
    private static let writtenCount = 2048

    /// The rows of a subscription with those of the subscriptions from which it moved to Advanced Commerce, the latest first.
    func history(
        _ rows: SubscriberRows,
        leavingOutErased: Bool = false
    ) throws(NotificationStoreError) -> WholeHistory {
        var history = WholeHistory(rows: rows)
        var known: Set = [rows.originalTransactionID]
        var next = rows.previousIDs
        while !next.isEmpty, known.count < Self.longestChain, !history.isTooLarge {
            let ids = next.subtracting(known).sorted()
            known.formUnion(ids)
            next = []
            try forEachPage(
                of: Array(ids.prefix(Self.longestChain)),
                leavingOutErased: leavingOutErased
            ) { page throws(NotificationStoreError) in
                guard !history.isTooLarge else { return }
                history.previous += page.filter { $0.count > 0 || $0.hasTooMany }
                for rows in page { next.formUnion(rows.previousIDs) }
            }
        }
        return history
    }

    /// The most subscriptions whose rows make one history.
    private static let longestChain = 16
}
