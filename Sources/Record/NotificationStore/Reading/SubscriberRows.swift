internal import SQL

/// The rows of one subscription: everything from which its history follows.
public struct SubscriberRows: Sendable, Hashable {
    /// The original transaction identifier.
    public let originalTransactionID: String
    /// The transactions in the order of storing.
    public internal(set) var transactions: [PartRow<TransactionColumns>] = []
    /// The renewal infos in the order of storing.
    public internal(set) var renewals: [PartRow<RenewalColumns>] = []
    /// The notifications in the order of storing, without their JWS.
    public internal(set) var notifications: [NotificationRow] = []
    /// The time before which the history is whole, because Apple's server gave it, milliseconds since 1970; nil if it never
    /// did.
    public internal(set) var synchronizedAt: Int64?

    /// The identifiers that the subscription had before it moved to Advanced Commerce.
    public var previousIDs: Set<String> { Set(links.keys) }

    /// The number of one transaction for each of ``previousIDs``.
    public var linkingRows: Set<Int64> { Set(links.values) }

    private var links: [String: Int64] {
        var found: [String: Int64] = [:]
        for row in transactions {
            guard let id = row.values.columns.previousOriginalTransactionID, id != originalTransactionID
            else { continue }
            found[id] = row.id
        }
        return found
    }

    /// The downloads (`appTransactionId`) to which the subscription belongs.
    public var downloads: Set<String> {
        var found: Set<String> = []
        var last: String?
        func add(_ id: String?) {
            guard let id, id != last else { return }
            found.insert(id)
            last = id
        }
        for row in transactions { add(row.values.columns.appTransactionID) }
        for row in renewals { add(row.values.columns.appTransactionID) }
        for row in notifications { add(row.values.columns.appTransactionID) }
        return found
    }

    /// Makes a set without rows.
    public init(originalTransactionID: String) { self.originalTransactionID = originalTransactionID }
}

extension NotificationStore {
    /// Returns the rows of some subscriptions, by their identifiers. A subscription without rows has none.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers, at most ``subscriberPageCount``.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the rows by the identifiers.
    /// - Throws: `store.bad-argument` for too many identifiers, and the errors of the database.
    public func subscribers(
        _ ids: [String],
        app: String,
        environment: String
    ) throws(NotificationStoreError) -> [String: SubscriberRows] {
        guard ids.count <= Self.subscriberPageCount else { throw .badArgument }
        guard !ids.isEmpty else { return [:] }
        var values = ids.map { SQLValue.text($0) }
        values += [SQLValue](repeating: .null, count: Self.subscriberPageCount - ids.count)
        let search = SubscriberSearch(
            condition: SubscriberSearch.listed,
            values: values,
            app: app,
            environment: environment
        )
        return try perform { connection throws(SQLError) in try search.rows(on: connection) }
    }

    /// Returns the rows of the next subscriptions in the order of their identifiers, as the database orders texts.
    ///
    /// - Parameters:
    ///   - after: the last identifier of the page before; nil for the first page.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the subscriptions of the page, and the identifier behind which the next page begins; nil when there is no
    ///   next page.
    /// - Throws: the errors of the database.
    public func subscribers(
        after: String?,
        app: String,
        environment: String
    ) throws(NotificationStoreError) -> (rows: [String: SubscriberRows], next: String?) {
        try perform { connection throws(SQLError) in
            let begin = SQLValue.text(after ?? "")
            let ids = try connection.query(
                "SELECT DISTINCT original_transaction_id FROM transactions WHERE original_transaction_id > ? "
                    + "ORDER BY original_transaction_id LIMIT ?",
                [begin, .integer(Int64(Self.subscriberPageCount))]
            )
            let last = ids.count < Self.subscriberPageCount ? nil : try ids.last?.text(0)
            let search = SubscriberSearch(
                condition: last == nil ? SubscriberSearch.behind : SubscriberSearch.between,
                values: [begin] + (last.map { [.text($0)] } ?? []),
                app: app,
                environment: environment
            )
            return (try search.rows(on: connection), last)
        }
    }

    /// The most subscriptions of a page.
    public static let subscriberPageCount = 256
}

/// Reads the rows of several subscriptions.
struct SubscriberSearch {
    /// The condition of the last page.
    static let behind: SQLText = "original_transaction_id > ?"
    /// The condition of every other page of all subscribers.
    static let between = behind + " AND original_transaction_id <= ?"
    /// The condition for some subscribers. One text serves every number of them, so that its prepared form is used again.
    static let listed =
        "original_transaction_id IN ("
        + .list([SQLText](repeating: "?", count: NotificationStore.subscriberPageCount)) + ")"
    /// The condition on the identifier, and its values.
    let condition: SQLText
    let values: [SQLValue]
    /// The bundle identifier of the app.
    let app: String
    let environment: String

    func rows(on connection: any SQLConnection) throws(SQLError) -> [String: SubscriberRows] {
        var found = FoundSubscribers()
        let transactions = statement(PartRow<TransactionColumns>.names(.transactions), .transactions)
        try connection.read(transactions, values) { row throws(SQLError) in
            let part = try PartRow<TransactionColumns>(row)
            guard isOwner(part.app, part.environment) else { return }
            found.add(part)
        }
        let renewals = statement(PartRow<RenewalColumns>.names(.renewals), .renewals)
        try connection.read(renewals, values) { row throws(SQLError) in
            let part = try PartRow<RenewalColumns>(row)
            guard isOwner(part.app, part.environment) else { return }
            found.add(part)
        }
        let notifications = statement(NotificationRow.names, .notifications)
        try connection.read(notifications, values) { row throws(SQLError) in
            let part = try NotificationRow(row)
            guard isOwner(part.app, part.environment) else { return }
            found.add(part)
        }
        for row in try connection.query(
            "SELECT original_transaction_id, synchronized_at FROM synchronizations WHERE app = ? AND environment = ? AND "
                + condition,
            [.text(app), .text(environment)] + values
        ) { try found.synchronize(row.text(0), at: row.integer(1)) }
        return found.byID()
    }

    private func isOwner(_ app: String, _ environment: String) -> Bool {
        app == self.app && environment == self.environment
    }

    /// The statement does not name the app: SQLite would take the index of app and environment then, in which all rows are
    /// equal, and read the whole table for each page. With an order by number, it would do so for the last page.
    func statement(_ columns: [SQLText], _ table: StoreTable) -> SQLText {
        "SELECT " + .list(columns) + " FROM " + table.name + " WHERE " + condition
    }
}

/// The subscribers of whom rows were found. A row of nobody is left out.
private struct FoundSubscribers {
    private var all: [SubscriberRows] = []
    private var places: [String: Int] = [:]
    /// The place of the last row's subscriber, because rows of one subscriber mostly follow each other.
    private var last = 0

    mutating func add(_ row: PartRow<TransactionColumns>) {
        guard let id = row.values.columns.originalTransactionID else { return }
        all[place(of: id)].transactions.append(row)
    }

    mutating func add(_ row: PartRow<RenewalColumns>) {
        guard let id = row.values.columns.originalTransactionID else { return }
        all[place(of: id)].renewals.append(row)
    }

    mutating func add(_ row: NotificationRow) {
        guard let id = row.values.columns.originalTransactionID else { return }
        all[place(of: id)].notifications.append(row)
    }

    private mutating func place(of id: String) -> Int {
        if last < all.count, all[last].originalTransactionID == id { return last }
        if let known = places[id] {
            last = known
        } else {
            last = all.count
            places[id] = last
            all.append(SubscriberRows(originalTransactionID: id))
        }
        return last
    }

    mutating func synchronize(_ id: String, at time: Int64) {
        if let place = places[id] { all[place].synchronizedAt = time }
    }

    /// The subscribers by their identifiers, each with its rows in the order of storing.
    consuming func byID() -> [String: SubscriberRows] {
        for place in all.indices {
            all[place].transactions.sort { $0.id < $1.id }
            all[place].renewals.sort { $0.id < $1.id }
            all[place].notifications.sort { $0.id < $1.id }
        }
        return places.mapValues { all[$0] }
    }
}
