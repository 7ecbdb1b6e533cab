internal import SQL

/// What was derived from the rows of one subscription.
public struct SubscriberState: Sendable, Hashable {
    /// The original transaction identifier.
    public let originalTransactionID: String
    /// What was derived, in a form of the program; nil when nothing could be derived.
    public let bytes: [UInt8]?
    /// The subscriptions from whose rows it was derived; other than the subscription itself after a move to Advanced
    /// Commerce.
    public let sources: Set<String>
    /// The downloads (`appTransactionId`) in these rows.
    public let downloads: Set<String>
    /// The numbers of the transactions in these rows that name the subscription before a move to Advanced Commerce. An erasure of
    /// that one deletes those from before it.
    public let linkingRows: Set<Int64>
    /// The rows themselves, as ``SubscriberRows/packed(upTo:)`` returned them; nil when the next program has to read them again.
    public let packedRows: [UInt8]?

    /// Describes a state.
    public init(
        originalTransactionID: String,
        bytes: [UInt8]?,
        sources: Set<String>,
        downloads: Set<String>,
        linkingRows: Set<Int64> = [],
        packedRows: [UInt8]? = nil
    ) {
        self.originalTransactionID = originalTransactionID
        self.bytes = bytes
        self.sources = sources
        self.downloads = downloads
        self.linkingRows = linkingRows
        self.packedRows = packedRows
    }

    /// Everything whose tombstone keeps the state out.
    var subjects: [TombstoneSubject] {
        sources.union([originalTransactionID]).map { .originalTransaction($0) }
            + downloads.map { .appTransaction($0) }
    }
}

/// A page of states.
public struct StatePage: Sendable {
    /// The states.
    public var states: [(originalTransactionID: String, bytes: [UInt8])] = []
    /// The subscriptions of the page whose states must be derived again, because an erasure changed their histories.
    public var outdatedIDs: [String] = []

    /// Makes an empty page.
    public init() {}
}

extension NotificationStore {
    /// Returns the range of the next states.
    ///
    /// - Parameters:
    ///   - after: the last identifier of the range before; nil for the first range.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    ///   - count: the most states of the range.
    /// - Returns: the range; the last one has no end.
    /// - Throws: the errors of the database.
    public func stateRange(
        after: String?,
        app: String,
        environment: String,
        count: Int = StorePage.greatestCount
    ) throws(NotificationStoreError) -> SubscriberRange {
        try perform { connection throws(SQLError) in
            let last = try connection.query(
                StateWriting.lastOfSome,
                [.text(app), .text(environment), .text(after ?? ""), .integer(Int64(count - 1))]
            ).first?.text(0)
            return SubscriberRange(after: after, last: last)
        }
    }

    /// Returns the states of a range of subscriptions.
    ///
    /// - Parameters:
    ///   - range: the range.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the states, in the order of their identifiers, as the database orders texts.
    /// - Throws: the errors of the database.
    public func states(
        in range: SubscriberRange = SubscriberRange(),
        app: String,
        environment: String
    ) throws(NotificationStoreError) -> StatePage {
        let owner: [SQLValue] = [.text(app), .text(environment)]
        let ends = [.text(range.after ?? "")] + (range.last.map { [SQLValue.text($0)] } ?? [])
        let condition = range.last == nil ? SubscriberSearch.behind : SubscriberSearch.between
        return try perform { connection throws(SQLError) in
            var page = StatePage()
            try connection.read(Self.states(condition, connection.dialect), owner + ends) {
                row throws(SQLError) in
                let id = try row.text(0)
                if let bytes = try row.optionalBytes(1) {
                    page.states.append((id, Array(StoredState.state(in: bytes))))
                } else {
                    page.outdatedIDs.append(id)
                }
            }
            return page
        }
    }

    private static func states(_ condition: SQLText, _ dialect: SQLDialect) -> SQLText {
        "SELECT original_transaction_id, " + StoredState.withoutRows(dialect)
            + " FROM subscriber_states WHERE app = ? AND environment = ? AND " + condition
            + " ORDER BY original_transaction_id"
    }

    /// Returns true when there is any state of an app in an environment.
    public func hasStates(app: String, environment: String) throws(NotificationStoreError) -> Bool {
        try perform { connection throws(SQLError) in
            try !connection.query(
                StateWriting.lastOfSome,
                [.text(app), .text(environment), .text(""), .integer(0)]
            ).isEmpty
        }
    }

    /// Deletes all states of an app in an environment, in short transactions.
    ///
    /// - Throws: `store.states-locked` when another program than the caller has made a claim.
    public func removeStates(
        app: String,
        environment: String,
        with claim: StateClaim? = nil
    ) throws(NotificationStoreError) {
        let owner: [SQLValue] = [.text(app), .text(environment)]
        // Each transaction goes on behind the one before: a server goes through deleted rows as long as it keeps them.
        var after = ""
        var holds = true
        try inShortTransactions(of: .states) { (limit, connection) throws(SQLError) in
            holds = try claim?.holds(on: connection) ?? true
            guard holds else { return 0 }
            guard
                let last = try connection.query(
                    StateWriting.lastOfSome,
                    owner + [.text(after), .integer(Int64(limit - 1))]
                ).first
            else { return try connection.run(StateWriting.removalBehind, owner + [.text(after)]) }
            let end = try last.text(0)
            try connection.run(StateWriting.removalBetween, owner + [.text(after), .text(end)])
            after = end
            // Also when somebody else has deleted some of them since they were counted: there may be more behind them.
            return limit
        }
        guard holds else { throw .statesLocked }
    }

    /// Returns the subscriptions that moved to Advanced Commerce from one of these, in one step or several, so that its rows
    /// belong to their history.
    public func successors(of ids: Set<String>) throws(NotificationStoreError) -> Set<String> {
        try perform { connection throws(SQLError) in
            try SubscriptionMoves(from: ids, on: connection).successors(of: ids)
        }
    }
}
