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
        /// Those of them who have no facts, because they have too many rows (``NotificationStore/subscriberRowCount``).
        public internal(set) var tooLargeCount = 0

        /// The report of a refresh that has not begun.
        public init() {}
    }

    private let store: NotificationStore
    private let app: String
    private let environment: String

    /// Makes a refresh for an app in an environment.
    public init(_ store: NotificationStore, app: String, environment: String) {
        self.store = store
        self.app = app
        self.environment = environment
    }

    /// The name of the cursor that says how far the states go.
    private var cursorName: String { StoreCursor.statesPrefix + "\(environment):\(app)" }

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
    ///   - progress: called after each page.
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
    ///   - progress: called after each page.
    /// - Returns: what was done.
    /// - Throws: the errors of the store. What was derived before stays.
    public func run(
        isFull: Bool = false,
        holding lock: borrowing StatesLock,
        progress: (Report) -> Void = { _ in }
    ) throws(NotificationStoreError) -> Report {
        var report = Report()
        var pending = PendingStates()
        let to = try store.settledMark()
        let begun: StoreCursor
        if !isFull, let (cursor, from) = try mark() {
            begun = cursor
            var changed = try store.changedSubscribers(from: from, to: to, app: app, environment: environment)
            changed.formUnion(try store.successors(of: changed))
            try forEachPage(of: changed.sorted()) { page throws(NotificationStoreError) in
                try finish(pending.turn(to: try begin(page)), &pending, &report)
                progress(report)
            }
        } else {
            report.isFull = true
            begun = StoreCursor(position: Self.unfinished)
            try store.setCursor(begun, named: cursorName)
            try store.removeStates(app: app, environment: environment)
            var after: String?
            while true {
                let page = try store.subscribers(after: after, app: app, environment: environment)
                try finish(pending.turn(to: try begin(Array(page.rows.values))), &pending, &report)
                progress(report)
                guard let next = page.next else { break }
                after = next
            }
        }
        try finish(pending.turn(to: nil), &pending, &report)
        try store.write(pending.derived, app: app, environment: environment)
        progress(report)
        let numbers = [to.notifications, to.transactions, to.renewals, to.synchronizations]
        let detail = numbers.map { String($0) }.joined(separator: " ")
        let end = StoreCursor(position: HistoryFacts.version, detail: detail)
        // Whoever deletes rows without erasing a subscriber takes the cursor away. Then the next refresh derives all states.
        _ = try store.moveCursor(named: cursorName, from: begun, to: end)
        return report
    }

    /// The position of the cursor while all states are derived: no version of the derivation has it.
    private static let unfinished: Int64 = 0

    /// Where the cursor is, and how far the states go; nil when there are none, or when another version of the derivation made
    /// them.
    private func mark() throws(NotificationStoreError) -> (cursor: StoreCursor, mark: StateMark)? {
        guard let cursor = try store.cursor(named: cursorName), cursor.position == HistoryFacts.version
        else { return nil }
        let numbers = (cursor.detail ?? "").split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 4 else { return nil }
        let mark = StateMark(
            notifications: numbers[0],
            transactions: numbers[1],
            renewals: numbers[2],
            synchronizations: numbers[3]
        )
        return (cursor, mark)
    }

    /// Derives states again that an erasure has made outdated since the refresh, so that these subscribers do not lose their
    /// facts until the next one. The rows of an erased subscription, which the erasure may not have deleted yet, do not count.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers.
    ///   - lock: the lock of the app and the environment.
    /// - Returns: the states that were written.
    /// - Throws: the errors of the store.
    public func derive(
        outdated ids: [String],
        holding lock: borrowing StatesLock
    ) throws(NotificationStoreError) -> [(originalTransactionID: String, bytes: [UInt8])] {
        var found: [(originalTransactionID: String, bytes: [UInt8])] = []
        try forEachPage(of: ids) { page throws(NotificationStoreError) in
            var states: [SubscriberState] = []
            for rows in page {
                states.append(try history(rows, leavingOutErased: true).state)
            }
            let outdated = try store.write(states, app: app, environment: environment)
            for state in states where !outdated.contains(state.originalTransactionID) {
                if let bytes = state.bytes { found.append((state.originalTransactionID, bytes)) }
            }
        }
        return found
    }

    /// Calls `take` with the rows of subscribers, page by page. A subscriber without rows is among them.
    private func forEachPage(
        of ids: [String],
        take: ([SubscriberRows]) throws(NotificationStoreError) -> Void
    ) throws(NotificationStoreError) {
        var rest = ids[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(NotificationStore.subscriberPageCount))
            let read = try store.subscribers(page, app: app, environment: environment)
            rest = rest.dropFirst(read.readCount)
            try take(
                page.prefix(read.readCount).map { read.rows[$0] ?? SubscriberRows(originalTransactionID: $0) }
            )
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
        try forEachPage(of: ids) { page throws(NotificationStoreError) in
            for rows in page where rows.count > 0 {
                guard let payloads = try history(rows).payloads(covered: covered) else { continue }
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

    /// Begins to derive the states of a page in a thread of their own, while this one reads the next page.
    private func begin(_ page: [SubscriberRows]) throws(NotificationStoreError) -> PageDerivation {
        var histories: [WholeHistory] = []
        for rows in page { histories.append(try history(rows)) }
        return PageDerivation(histories)
    }

    /// Waits for the states of a page, and adds them to those that were derived before. Writes all when they are many: a
    /// transaction of a few states takes as long as one of many, because it waits for the disk.
    private func finish(
        _ page: PageDerivation?,
        _ pending: inout PendingStates,
        _ report: inout Report
    ) throws(NotificationStoreError) {
        guard let page else { return }
        let states = page.states()
        report.derivedCount += states.count
        report.tooLargeCount += page.tooLargeCount
        pending.derived += states
        guard pending.derived.count >= Self.writtenCount else { return }
        try store.write(pending.derived, app: app, environment: environment)
        pending.derived = []
    }

    /// How many states are written together.
    private static let writtenCount = 2048

    /// The rows of a subscription with those of the subscriptions from which it moved to Advanced Commerce, the latest first.
    private func history(
        _ rows: SubscriberRows,
        leavingOutErased: Bool = false
    ) throws(NotificationStoreError) -> WholeHistory {
        var history = WholeHistory(rows: rows)
        var known: Set = [rows.originalTransactionID]
        var next = rows.previousIDs
        if leavingOutErased { known.formUnion(try store.entombed(next)) }
        while !next.isEmpty, known.count < Self.longestChain, !history.isTooLarge {
            let ids = next.subtracting(known).sorted()
            known.formUnion(ids)
            next = []
            try forEachPage(of: Array(ids.prefix(Self.longestChain))) { page throws(NotificationStoreError) in
                guard !history.isTooLarge else { return }
                history.previous += page.filter { $0.count > 0 || $0.hasTooMany }
                for rows in page { next.formUnion(rows.previousIDs) }
            }
            if leavingOutErased { known.formUnion(try store.entombed(next)) }
        }
        return history
    }

    /// The most subscriptions whose rows make one history.
    private static let longestChain = 16
}
