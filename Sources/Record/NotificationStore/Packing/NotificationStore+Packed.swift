internal import SQL

extension SubscriberRows {
    /// Packs the rows, to keep them with the state that was derived from them.
    ///
    /// - Parameter mark: the numbers up to which rows are packed: a mark of ``NotificationStore/settledMark()``.
    /// - Returns: the packed rows; nil when they cannot be packed, or when they belong together with those of another subscription.
    public func packed(upTo mark: StateMark) -> [UInt8]? {
        previousIDs.isEmpty ? PackedRows.bytes(of: self, upTo: mark) : nil
    }
}

extension NotificationStore {
    /// Returns the rows that came between two marks, by the identifiers of their subscriptions.
    ///
    /// - Parameters:
    ///   - from: the earlier mark.
    ///   - to: the later mark.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    ///   - count: the most rows of a kind that are read.
    /// - Returns: the rows; nil when there may be more.
    /// - Throws: the errors of the database.
    public func newRows(
        from: StateMark,
        to: StateMark,
        app: String,
        environment: String,
        atMost count: Int64 = newRowCount
    ) throws(NotificationStoreError) -> [String: SubscriberRows]? {
        let ranges: [(StoreTable, from: Int64, to: Int64)] = [
            (.transactions, from.transactions, to.transactions), (.renewals, from.renewals, to.renewals),
            (.notifications, from.notifications, to.notifications),
        ]
        guard ranges.allSatisfy({ $0.to - $0.from <= count }) else { return nil }
        var found = FoundSubscribers()
        for (table, from, to) in ranges {
            var place = from
            while place < to {
                let end = min(place + Self.changeWindowCount, to)
                let search = SubscriberSearch(
                    condition: SubscriberSearch.numbered,
                    values: [.integer(place), .integer(end)],
                    app: app,
                    environment: environment
                )
                try perform { connection throws(SQLError) in
                    try search.addRows(of: table, on: connection, to: &found)
                }
                place = end
            }
        }
        return found.byID()
    }

    /// Returns the packed rows of some subscriptions, with the times of their synchronizations, which are not packed.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers, at most ``subscriberPageCount``.
    ///   - newer: the rows that came between two marks, by the identifiers. They are added. Before these marks, a subscription
    ///     must have no rows that are not packed: their states go up to the earlier mark.
    ///   - mark: the later one of these marks.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the rows by the identifiers. Those that are not there must be read with ``subscribers(_:app:environment:)``.
    /// - Throws: `store.bad-argument` for too many identifiers, and the errors of the database.
    public func packedSubscribers(
        _ ids: [String],
        adding newer: [String: SubscriberRows],
        upTo mark: StateMark,
        app: String,
        environment: String
    ) throws(NotificationStoreError) -> [String: SubscriberRows] {
        guard ids.count <= Self.subscriberPageCount else { throw .badArgument }
        guard let values = SubscriberSearch.list.pages(of: ids.map { .text($0) }).first else { return [:] }
        return try perform { connection throws(SQLError) in
            var found: [String: SubscriberRows] = [:]
            try connection.read(Self.statesOfSome, [.text(app), .text(environment)] + values) {
                row throws(SQLError) in
                let owner = StateOwner(app: app, environment: environment, id: try row.text(0))
                guard let bytes = try row.optionalBytes(1),
                    var packed = PackedRows(StoredState.packedRows(in: bytes), of: owner, upTo: mark)
                else { return }
                if let newer = newer[owner.id] {
                    if newer.hasTooMany { return }
                    packed.add(newer)
                }
                // Of too many rows, none may count.
                if packed.rows.greatestCount <= Self.subscriberRowCount { found[owner.id] = packed.rows }
            }
            let search = SubscriberSearch(
                condition: SubscriberSearch.listed,
                values: values,
                app: app,
                environment: environment
            )
            try search.forEachSynchronization(on: connection) { found[$0]?.synchronizedAt = $1 }
            return found
        }
    }

    private static let statesOfSome: SQLText =
        "SELECT original_transaction_id, state FROM subscriber_states WHERE app = ? AND environment = ? AND "
        + SubscriberSearch.listed

    /// The most new rows of a kind that are read together: they stay in memory. After more of them, reading the rows of each
    /// subscription is the better way.
    public static let newRowCount: Int64 = 60_000
}
