public import NotificationStore

/// Reads the facts of all subscribers out of their states.
///
///     var reading = StateReading(refresh, at: now, covered: try refresh.covered())
///     while let pages = try reading.next(holding: lock) { for page in pages { count += page.subscribers.count } }
public struct StateReading {
    private let refresh: HistoryRefresh
    private let sides: SideReading<SubscriberRange, StateFacts>
    private var last: SubscriberRange?
    private let count: Int

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - refresh: the refresh that has brought the states up to date.
    ///   - now: the time of the facts, milliseconds since 1970.
    ///   - covered: the ranges of time for which every notification is in the store.
    ///   - count: the most states of a page.
    public init(
        _ refresh: HistoryRefresh,
        at now: Int64,
        covered: [TimeRange],
        count: Int = StorePage.greatestCount
    ) {
        self.refresh = refresh
        self.count = count
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
                environment: refresh.environment,
                count: count
            )
            last = range
            return range
        }
    }
}
