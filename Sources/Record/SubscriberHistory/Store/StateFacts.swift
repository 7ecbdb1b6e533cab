public import NotificationStore

/// The facts about some subscribers at a time, as their states say.
public struct StateFacts: Sendable {
    /// The subscribers with their values. The values are nil where the state says nothing of the time, and where it is damaged;
    /// ``HistoryRefresh/facts(of:at:)`` derives them from the rows.
    public private(set) var subscribers: [(originalTransactionID: String, values: FactValues?)] = []
    /// The further subscribers who have too many rows, and so no facts.
    public private(set) var tooLargeCount = 0
    /// The further subscriptions whose states must be derived again, because an erasure changed their histories.
    public let outdatedIDs: [String]

    /// Reads the facts of a time out of states.
    ///
    /// - Parameters:
    ///   - page: the states.
    ///   - now: the time, milliseconds since 1970.
    ///   - covered: the ranges of time for which every notification is in the store.
    public init(_ page: StatePage, at now: Int64, covered: [TimeRange]) {
        outdatedIDs = page.outdatedIDs
        subscribers.reserveCapacity(page.states.count)
        for (id, bytes) in page.states {
            if bytes == FactPieces.tooLarge {
                tooLargeCount += 1
            } else {
                subscribers.append((id, FactPieces.piece(in: bytes, at: now, covered: covered)?.values))
            }
        }
    }
}

/// Reads the facts of all subscribers out of their states.
///
///     var reading = StateReading(refresh, at: now, covered: try refresh.covered())
///     while let pages = try reading.next(holding: lock) { for page in pages { count += page.subscribers.count } }
public struct StateReading {
    private let refresh: HistoryRefresh
    private let sides: SideReading<SubscriberRange, StateFacts>
    private var last: SubscriberRange?

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - refresh: the refresh that has brought the states up to date.
    ///   - now: the time of the facts, milliseconds since 1970.
    ///   - covered: the ranges of time for which every notification is in the store.
    public init(_ refresh: HistoryRefresh, at now: Int64, covered: [TimeRange]) {
        self.refresh = refresh
        sides = SideReading(refresh) { refresh, range throws(NotificationStoreError) in
            let states = try refresh.store.states(
                in: range,
                app: refresh.app,
                environment: refresh.environment
            )
            return StateFacts(states, at: now, covered: covered)
        }
    }

    /// Reads the next pages.
    ///
    /// - Parameter lock: the lock of the app and the environment.
    /// - Returns: the pages; nil when all were read.
    /// - Throws: the errors of the store.
    public mutating func next(holding lock: borrowing StatesLock) throws(NotificationStoreError)
        -> [StateFacts]?
    {
        try sides.pages { () throws(NotificationStoreError) in
            if let last, last.last == nil { return nil }
            let range = try refresh.store.stateRange(
                after: last?.last,
                app: refresh.app,
                environment: refresh.environment
            )
            last = range
            return range
        }
    }
}
