internal import SQL

package struct SubscriberPage: Sendable {
    package let rows: [SubscriberRows]
    package let next: String?
}

extension NotificationStore {
    package func subscribers(_ ids: [String], app: String, environment: String) throws(NotificationStoreError)
        -> [SubscriberRows]
    {
        let search = SubscriberSearch(app: app, environment: environment)
        var (found, rest) = ([SubscriberRows](), ids[...])
        while !rest.isEmpty {
            let some = rest.prefix(SubscriberSearch.pageCount)
            let page = try perform { connection throws(SQLError) in try search.first(of: some, on: connection)
            }
            found += page.rows
            rest = rest.dropFirst(page.count)
        }
        return found
    }

    package func subscribers(after: String?, app: String, environment: String) throws(NotificationStoreError)
        -> SubscriberPage
    {
        try perform { connection throws(SQLError) in
            let search = SubscriberSearch(app: app, environment: environment)
            let ids = try search.ids(after: after ?? "", on: connection)
            let (rows, count) = try search.first(of: ids[...], on: connection)
            let isLast = count == ids.count && count < SubscriberSearch.pageCount
            return SubscriberPage(rows: rows, next: isLast ? nil : ids[..<count].last)
        }
    }

    /// The identifiers of the subscriptions of all apps, in order. Nil is behind the last one.
    package func subscriberIDs(after: String?, count: Int = 10_000) throws(NotificationStoreError) -> (
        ids: [String], next: String?
    ) {
        let ids = try perform { connection throws(SQLError) in
            let search = SubscriberSearch(app: "", environment: "")
            return try search.ids(after: after ?? "", count: count, on: connection)
        }
        return (ids, ids.count < count ? nil : ids.last)
    }

    /// The most notifications, transactions or renewal infos of one subscription from which anything is derived.
    package static let subscriberRowCount = 10_000
}

private struct SubscriberSearch {
    let app: String
    let environment: String

    static let pageCount = 256
    private static let list = SQLList(count: pageCount)
    /// The most rows that one statement reads. A page of subscribers has a few thousand.
    private static let rowCount = 32_768

    /// The first subscriptions behind an identifier, in order. Only so many have none between them.
    func ids(after id: String, count: Int = pageCount, on connection: any SQLConnection) throws(SQLError)
        -> [String]
    {
        func ids(_ table: SQLText) -> SQLText {
            "SELECT original_transaction_id FROM (SELECT DISTINCT original_transaction_id FROM " + table
                + " WHERE original_transaction_id > ? ORDER BY original_transaction_id LIMIT ?) AS " + table
        }
        let text: SQLText =
            ids("transactions") + " UNION " + ids("renewals") + " UNION " + ids("notifications")
            + " ORDER BY original_transaction_id"
        let search: [SQLValue] = [.text(id), .integer(Int64(count))]
        var found: [String] = []
        for row in try connection.query(text, search + search + search).prefix(count) {
            found.append(try row.text(0))
        }
        return found
    }

    func first(of ids: ArraySlice<String>, on connection: any SQLConnection) throws(SQLError) -> (
        rows: [SubscriberRows], count: Int
    ) {
        var some = ids
        while !some.isEmpty {
            if let found = try rows(of: some, on: connection) {
                return (some.compactMap { found[$0] }, some.count)
            }
            some = some.prefix(some.count / 2)
        }
        return ([], 0)
    }

    /// The rows by the identifiers; nil when several subscriptions have too many together.
    private func rows(of ids: ArraySlice<String>, on connection: any SQLConnection) throws(SQLError)
        -> [String: SubscriberRows]?
    {
        let values = Self.list.pages(of: ids.map { .text($0) })[0]
        var found: [String: SubscriberRows] = [:]
        // The statements do not name the app: SQLite would take the index of app and environment then, in which all rows are
        // equal, and read the whole table for each page.
        func read(_ columns: [SQLText], _ table: SQLText) throws(SQLError) -> [SQLRow]? {
            let rows = try connection.query(
                "SELECT " + .list(columns) + " FROM " + table + " WHERE original_transaction_id IN "
                    + Self.list.text + " LIMIT 32769", values)
            return rows.count > Self.rowCount && ids.count > 1 ? nil : rows
        }
        func add(_ id: String?, _ owner: (String, String), _ body: (inout SubscriberRows) -> Void) {
            guard let id, owner == (app, environment) else { return }
            body(&found[id, default: SubscriberRows(originalTransactionID: id)])
        }
        guard let transactions = try read(PartRow<TransactionColumns>.names(.transactions), "transactions"),
            let renewals = try read(PartRow<RenewalColumns>.names(.renewals), "renewals"),
            let notifications = try read(NotificationRow.names, "notifications")
        else { return nil }
        for row in transactions {
            let row = try PartRow<TransactionColumns>(row)
            add(row.columns.originalTransactionID, (row.app, row.environment)) { $0.transactions.append(row) }
        }
        for row in renewals {
            let row = try PartRow<RenewalColumns>(row)
            add(row.columns.originalTransactionID, (row.app, row.environment)) { $0.renewals.append(row) }
        }
        for row in notifications {
            let row = try NotificationRow(row)
            add(row.columns.originalTransactionID, (row.app, row.environment)) {
                $0.notifications.append(row)
            }
        }
        let synchronizations: SQLText =
            "SELECT original_transaction_id, synchronized_at FROM synchronizations WHERE app = ? AND environment = ? "
            + "AND original_transaction_id IN " + Self.list.text
        for row in try connection.query(synchronizations, [.text(app), .text(environment)] + values) {
            found[try row.text(0)]?.synchronizedAt = try row.integer(1)
        }
        for id in found.keys { found[id]?.finish() }
        return found
    }
}

package struct SubscriberRows: Sendable, Hashable {
    package let originalTransactionID: String
    // In the order of storing.
    package internal(set) var transactions: [PartRow<TransactionColumns>] = []
    package internal(set) var renewals: [PartRow<RenewalColumns>] = []
    package internal(set) var notifications: [NotificationRow] = []
    /// The time before which the history is whole; nil if Apple's server never gave it.
    package internal(set) var synchronizedAt: Int64?
    /// True when the subscription has more than ``NotificationStore/subscriberRowCount`` rows of a kind. Then it has none here.
    package internal(set) var hasTooMany = false

    package var count: Int { transactions.count + renewals.count + notifications.count }

    package var previousIDs: Set<String> {
        Set(transactions.compactMap(\.columns.previousOriginalTransactionID))
            .subtracting([originalTransactionID])
    }

    package var downloads: Set<String> {
        var found = Set(transactions.compactMap(\.columns.appTransactionID))
        found.formUnion(renewals.compactMap(\.columns.appTransactionID))
        found.formUnion(notifications.compactMap(\.columns.appTransactionID))
        return found
    }

    package init(originalTransactionID: String) { self.originalTransactionID = originalTransactionID }

    fileprivate mutating func finish() {
        transactions.sort { $0.id < $1.id }
        renewals.sort { $0.id < $1.id }
        notifications.sort { $0.id < $1.id }
        let greatest = max(transactions.count, renewals.count, notifications.count)
        guard greatest > NotificationStore.subscriberRowCount else { return }
        (transactions, renewals, notifications, hasTooMany) = ([], [], [], true)
    }
}
