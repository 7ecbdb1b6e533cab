internal import SQL

/// The rows of subscriptions that follow each other.
public struct SubscriberPage: Sendable {
    /// The rows of each subscription of the app in the environment, in the order of their identifiers, as the database orders texts.
    public var rows: [SubscriberRows]
    /// The identifier behind which the next page begins; nil when there is no next page.
    public var next: String?
}

extension NotificationStore {
    /// Returns the rows of some subscriptions. Where they have very many rows, the page ends earlier.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers, at most ``subscriberPageCount``.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the rows, and how many of the identifiers, from the first one on, have been looked for.
    /// - Throws: `store.bad-argument` for too many identifiers, and the errors of the database.
    public func subscribers(_ ids: [String], app: String, environment: String) throws(NotificationStoreError)
        -> (rows: [String: SubscriberRows], readCount: Int)
    {
        guard ids.count <= Self.subscriberPageCount else { throw .badArgument }
        guard let values = SubscriberSearch.list.pages(of: ids.map { .text($0) }).first else {
            return ([:], 0)
        }
        let search = SubscriberSearch(
            condition: SubscriberSearch.listed, values: values, app: app, environment: environment)
        return try perform { connection throws(SQLError) in
            if let rows = try search.rows(on: connection) { return (rows, ids.count) }
            return try search.oneByOne(ids, on: connection)
        }
    }

    /// Returns the rows of the next subscriptions in the order of their identifiers, at most ``subscriberPageCount``. Where they have
    /// very many rows, the page ends earlier.
    ///
    /// - Parameters:
    ///   - after: the identifier behind which the page begins; nil for the first page.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the page.
    /// - Throws: the errors of the database.
    public func subscribers(after: String?, app: String, environment: String) throws(NotificationStoreError)
        -> SubscriberPage
    {
        try perform { connection throws(SQLError) in
            var search = SubscriberSearch(
                condition: SubscriberSearch.behind, values: [.text(after ?? "")], app: app,
                environment: environment)
            var ids = try search.nextIDs(on: connection)
            var isLast = ids.count < Self.subscriberPageCount
            ids = Array(ids.prefix(Self.subscriberPageCount))
            guard let last = ids.last else { return SubscriberPage(rows: [], next: nil) }
            search.condition = SubscriberSearch.between
            search.values.append(.text(last))
            var found = try search.rows(on: connection)
            if found == nil {
                let some = try search.oneByOne(ids, on: connection)
                isLast = isLast && some.readCount == ids.count
                (found, ids) = (some.rows, Array(ids.prefix(some.readCount)))
            }
            return SubscriberPage(rows: ids.compactMap { found?[$0] }, next: isLast ? nil : ids.last)
        }
    }

    /// The most subscriptions of a page.
    public static let subscriberPageCount = 256

    /// The most notifications, transactions or renewal infos of one subscription that are read.
    public static let subscriberRowCount = 10_000
}

/// Reads the rows of several subscriptions.
struct SubscriberSearch {
    /// The condition of a range without an end.
    static let behind: SQLText = "original_transaction_id > ?"
    /// The condition of a range with an end.
    static let between = behind + " AND original_transaction_id <= ?"
    static let list = SQLList(count: NotificationStore.subscriberPageCount)
    /// The condition for some subscribers.
    static let listed = "original_transaction_id IN " + list.text
    /// The condition for one subscriber. Rows of another app or environment must not count for the limit, and SQLite must not take
    /// the index of these two.
    static let single: SQLText = "original_transaction_id = ? AND app || '' = ? AND environment || '' = ?"

    /// Reads the first identifiers for which the condition is true.
    private static func ids(_ table: SQLText, _ condition: SQLText) -> SQLText {
        "SELECT DISTINCT original_transaction_id FROM " + table + " WHERE " + condition
            + " ORDER BY original_transaction_id LIMIT ?"
    }

    /// The condition on the identifier, and its values.
    var condition: SQLText
    var values: [SQLValue]
    /// The bundle identifier of the app.
    let app: String
    let environment: String

    /// Returns the first subscribers for whom the condition is true and of whom there is any row, in order. Only the first
    /// ``NotificationStore/subscriberPageCount`` have none between them.
    func nextIDs(on connection: any SQLConnection) throws(SQLError) -> [String] {
        let search = values + [.integer(Int64(NotificationStore.subscriberPageCount))]
        var ids: [String] = []
        for row in try connection.query(nextIDs, search + search + search) { ids.append(try row.text(0)) }
        return ids
    }

    /// The statement for the first subscribers.
    var nextIDs: SQLText {
        "SELECT original_transaction_id FROM (" + Self.ids("transactions", condition)
            + ") AS t UNION SELECT original_transaction_id FROM (" + Self.ids("renewals", condition)
            + ") AS r UNION SELECT original_transaction_id FROM (" + Self.ids("notifications", condition)
            + ") AS n ORDER BY original_transaction_id"
    }

    /// Returns the rows; nil when there are more than one statement should read. A page of subscribers has a few thousand.
    func rows(on connection: any SQLConnection) throws(SQLError) -> [String: SubscriberRows]? {
        var found = FoundSubscribers()
        let limit = RowLimit(count: 32_768, text: " LIMIT 32769")
        for table in [StoreTable.transactions, .renewals, .notifications] {
            guard try read(table, limit, on: connection, into: &found) else { return nil }
        }
        try addSynchronizations(on: connection, to: &found)
        return found.byID()
    }

    /// Returns the rows of subscribers, each with statements of its own, until they are many.
    ///
    /// - Returns: the rows, and how many subscribers were looked for; at least one.
    func oneByOne(_ ids: [String], on connection: any SQLConnection) throws(SQLError) -> (
        rows: [String: SubscriberRows], readCount: Int
    ) {
        var all: [String: SubscriberRows] = [:]
        var rowCount = 0
        for (place, id) in ids.enumerated() {
            let search = SubscriberSearch(
                condition: Self.single, values: [.text(id), .text(app), .text(environment)], app: app,
                environment: environment)
            all[id] = try search.single(on: connection, id)
            rowCount += all[id]?.count ?? 0
            if rowCount > Self.pageRowCount { return (all, place + 1) }
        }
        return (all, ids.count)
    }

    /// The rows after which a page ends that is read subscriber by subscriber.
    private static let pageRowCount = 65_536

    /// The rows of the one subscriber of the condition. One row more than the most that count shows that there are too many.
    private func single(on connection: any SQLConnection, _ id: String) throws(SQLError) -> SubscriberRows? {
        var found = FoundSubscribers()
        let limit = RowLimit(count: NotificationStore.subscriberRowCount, text: " LIMIT 10001")
        for table in [StoreTable.transactions, .renewals, .notifications] {
            // The limit is one row above the most that count, so that ``FoundSubscribers`` sees that there are too many.
            _ = try read(table, limit, on: connection, into: &found)
        }
        try addSynchronizations(on: connection, to: &found)
        return found.byID()[id]
    }

    /// The most rows that one statement reads of a table, and the text for one more.
    private struct RowLimit {
        let count: Int
        let text: SQLText
    }

    /// Reads rows of a table. Returns false when there are more than the limit.
    private func read(
        _ table: StoreTable, _ limit: RowLimit, on connection: any SQLConnection,
        into found: inout FoundSubscribers
    ) throws(SQLError) -> Bool {
        var count = 0
        switch table {
        case .transactions:
            try connection.read(
                statement(PartRow<TransactionColumns>.names(table), table) + limit.text, values
            ) { row throws(SQLError) in
                count += 1
                let part = try PartRow<TransactionColumns>(row)
                if isOwner(part.app, part.environment) { found.add(part) }
            }
        case .renewals:
            try connection.read(statement(PartRow<RenewalColumns>.names(table), table) + limit.text, values) {
                row throws(SQLError) in
                count += 1
                let part = try PartRow<RenewalColumns>(row)
                if isOwner(part.app, part.environment) { found.add(part) }
            }
        default:
            try connection.read(statement(NotificationRow.names, table) + limit.text, values) {
                row throws(SQLError) in
                count += 1
                let part = try NotificationRow(row)
                if isOwner(part.app, part.environment) { found.add(part) }
            }
        }
        return count <= limit.count
    }

    private func addSynchronizations(on connection: any SQLConnection, to found: inout FoundSubscribers)
        throws(SQLError)
    {
        for row in try connection.query(
            "SELECT original_transaction_id, synchronized_at FROM synchronizations WHERE app = ? AND environment = ? AND "
                + condition,
            [.text(app), .text(environment)] + values
        ) { found.synchronize(try row.text(0), at: try row.integer(1)) }
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
