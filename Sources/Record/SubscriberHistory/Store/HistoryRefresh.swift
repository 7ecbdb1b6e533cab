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
        var last: PageDerivation?
        var derived: [SubscriberState] = []
        let to = try store.settledMark()
        if !isFull, let from = try mark() {
            var changed = try store.changedSubscribers(from: from, to: to, app: app, environment: environment)
            changed.formUnion(try store.successors(of: changed))
            let ids = changed.sorted()
            for start in stride(from: 0, to: ids.count, by: NotificationStore.subscriberPageCount) {
                let page = Array(ids[start..<min(start + NotificationStore.subscriberPageCount, ids.count)])
                let rows = try store.subscribers(page, app: app, environment: environment)
                let begun = try begin(page.map { rows[$0] ?? SubscriberRows(originalTransactionID: $0) })
                try finish(last, &derived, &report)
                last = begun
                progress(report)
            }
        } else {
            report.isFull = true
            try store.removeCursor(named: cursorName)
            try store.removeStates(app: app, environment: environment)
            var after: String?
            while true {
                let page = try store.subscribers(after: after, app: app, environment: environment)
                let begun = try begin(Array(page.rows.values))
                try finish(last, &derived, &report)
                last = begun
                progress(report)
                guard let next = page.next else { break }
                after = next
            }
        }
        try finish(last, &derived, &report)
        try store.write(derived, app: app, environment: environment)
        progress(report)
        let numbers = [to.notifications, to.transactions, to.renewals, to.synchronizations]
        let detail = numbers.map { String($0) }.joined(separator: " ")
        try store.setCursor(StoreCursor(position: HistoryFacts.version, detail: detail), named: cursorName)
        return report
    }

    /// How far the states go; nil when there are none, or when another version of the derivation made them.
    private func mark() throws(NotificationStoreError) -> StateMark? {
        guard let cursor = try store.cursor(named: cursorName), cursor.position == HistoryFacts.version
        else { return nil }
        let numbers = (cursor.detail ?? "").split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 4 else { return nil }
        return StateMark(
            notifications: numbers[0],
            transactions: numbers[1],
            renewals: numbers[2],
            synchronizations: numbers[3]
        )
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
        for start in stride(from: 0, to: ids.count, by: NotificationStore.subscriberPageCount) {
            let page = Array(ids[start..<min(start + NotificationStore.subscriberPageCount, ids.count)])
            for (id, rows) in try store.subscribers(page, app: app, environment: environment) {
                let payloads = SubscriberPayloads(rows, previous: try previous(of: rows), covered: covered)
                found[id] = HistoryFacts(payloads, now: now)
            }
        }
        return found
    }

    /// The payloads of one subscriber, with those from before a move to Advanced Commerce; nil when there is none.
    ///
    /// - Throws: the errors of the store.
    public func payloads(of id: String) throws(NotificationStoreError) -> SubscriberPayloads? {
        guard let rows = try store.subscribers([id], app: app, environment: environment)[id] else {
            return nil
        }
        return SubscriberPayloads(rows, previous: try previous(of: rows), covered: try covered())
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
        for rows in page { histories.append(WholeHistory(rows: rows, previous: try previous(of: rows))) }
        return PageDerivation(histories)
    }

    /// Waits for the states of a page, and adds them to those that were derived before. Writes all when they are many: a
    /// transaction of a few states takes as long as one of many, because it waits for the disk.
    private func finish(
        _ page: PageDerivation?,
        _ derived: inout [SubscriberState],
        _ report: inout Report
    ) throws(NotificationStoreError) {
        guard let states = page?.states() else { return }
        report.derivedCount += states.count
        derived += states
        guard derived.count >= Self.writtenCount else { return }
        try store.write(derived, app: app, environment: environment)
        derived = []
    }

    /// How many states are written together.
    private static let writtenCount = 2048

    /// The rows of the subscriptions from which one moved to Advanced Commerce, the latest first.
    private func previous(of rows: SubscriberRows) throws(NotificationStoreError) -> [SubscriberRows] {
        var found: [SubscriberRows] = []
        var known: Set = [rows.originalTransactionID]
        var next = rows.previousIDs
        while !next.isEmpty, known.count < Self.longestChain {
            let ids = next.subtracting(known).sorted()
            known.formUnion(ids)
            let page = try store.subscribers(Array(ids.prefix(16)), app: app, environment: environment)
            let some = ids.compactMap { page[$0] }
            found += some
            next = some.reduce(into: Set()) { $0.formUnion($1.previousIDs) }.subtracting(known)
        }
        return found
    }

    /// The most subscriptions whose rows make one history.
    private static let longestChain = 16
}

/// The rows of a subscription, and those of the subscriptions from which it moved to Advanced Commerce, the latest first.
private struct WholeHistory: Sendable {
    let rows: SubscriberRows
    let previous: [SubscriberRows]

    /// What follows from the rows.
    var state: SubscriberState {
        let all = [rows] + previous
        return SubscriberState(
            originalTransactionID: rows.originalTransactionID,
            bytes: FactPieces(SubscriberPayloads(rows, previous: previous))?.bytes,
            sources: Set(all.map(\.originalTransactionID)),
            downloads: all.reduce(into: []) { $0.formUnion($1.downloads) },
            linkingRows: all.reduce(into: []) { $0.formUnion($1.linkingRows) }
        )
    }
}

/// The states of a page, which a thread derives; without a thread, ``states()`` does.
private struct PageDerivation {
    /// Empty when there is a thread, which then frees them.
    private let histories: [WholeHistory]
    private let thread: JoinableThread<[SubscriberState]>?

    init(_ histories: [WholeHistory]) {
        thread = try? JoinableThread { histories.map(\.state) }
        self.histories = thread == nil ? histories : []
    }

    func states() -> [SubscriberState] { thread?.join() ?? histories.map(\.state) }
}
