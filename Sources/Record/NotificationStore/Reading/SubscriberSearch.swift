internal import SQL

package struct SubscriberPage: Sendable {
    /// The rows of each subscription of the app in the environment, in the order of their identifiers, as the database orders texts.
    package var rows: [SubscriberRows]
    /// The identifier behind which the next page begins; nil when there is no next page.
    package var next: String?
}

extension NotificationStore {
    /// Returns the rows of some subscriptions, at most ``subscriberPageCount``, and how many of the identifiers, from
    /// the first one on, have been looked for: fewer where they have very many rows.
    package func subscribers(_ ids: [String], app: String, environment: String) throws(NotificationStoreError)
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
    package func subscribers(after: String?, app: String, environment: String) throws(NotificationStoreError)
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

    package static let subscriberPageCount = 256

    /// The most notifications, transactions or renewal infos of one subscription that are read.
    package static let subscriberRowCount = 10_000
}

struct SubscriberSearch {
    static let behind: SQLText = "original_transaction_id > ?"
    static let between = behind + " AND original_transaction_id <= ?"
    static let list = SQLList(count: NotificationStore.subscriberPageCount)
    static let listed = "original_transaction_id IN " + list.text
    /// The condition for one subscriber. Rows of another app or environment must not count for the limit, and SQLite must not take
    /// the index of these two.
    static let single: SQLText = "original_transaction_id = ? AND app || '' = ? AND environment || '' = ?"

    private static func ids(_ table: SQLText, _ condition: SQLText) -> SQLText {
        "SELECT DISTINCT original_transaction_id FROM " + table + " WHERE " + condition
            + " ORDER BY original_transaction_id LIMIT ?"
    }

    var condition: SQLText
    var values: [SQLValue]
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

    private struct RowLimit {
        let count: Int
        let text: SQLText
    }

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

/// The subscribers of whom rows were found. A row of nobody is left out.
struct FoundSubscribers {
    private var all: [SubscriberRows] = []
    private var places: [String: Int] = [:]
    /// The place of the last row's subscriber, because rows of one subscriber mostly follow each other.
    private var last = 0

    mutating func add(_ row: PartRow<TransactionColumns>) {
        guard let id = row.columns.originalTransactionID else { return }
        all[place(of: id)].transactions.append(row)
    }

    mutating func add(_ row: PartRow<RenewalColumns>) {
        guard let id = row.columns.originalTransactionID else { return }
        all[place(of: id)].renewals.append(row)
    }

    mutating func add(_ row: NotificationRow) {
        guard let id = row.columns.originalTransactionID else { return }
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

    /// The subscribers by their identifiers, each with its rows in the order of storing. The rows of one who has too many are
    /// left out.
    consuming func byID() -> [String: SubscriberRows] {
        for place in all.indices {
            if all[place].greatestCount > NotificationStore.subscriberRowCount {
                all[place] = SubscriberRows(originalTransactionID: all[place].originalTransactionID)
                all[place].hasTooMany = true
            }
            all[place].transactions.sort { $0.id < $1.id }
            all[place].renewals.sort { $0.id < $1.id }
            all[place].notifications.sort { $0.id < $1.id }
        }
        return places.mapValues { all[$0] }
    }
}

extension SubscriberRows {
    var greatestCount: Int { max(transactions.count, renewals.count, notifications.count) }
}

/// The rows of one subscription: everything from which its history follows.
package struct SubscriberRows: Sendable, Hashable {
    package let originalTransactionID: String
    package internal(set) var transactions: [PartRow<TransactionColumns>] = []
    package internal(set) var renewals: [PartRow<RenewalColumns>] = []
    package internal(set) var notifications: [NotificationRow] = []
    /// The time before which the history is whole, because Apple's server gave it, milliseconds since 1970; nil if it never
    /// did.
    package internal(set) var synchronizedAt: Int64?
    /// True when the subscription has more than ``NotificationStore/subscriberRowCount`` rows of a kind, so that none was read.
    package internal(set) var hasTooMany = false

    package var count: Int { transactions.count + renewals.count + notifications.count }

    /// The identifiers that the subscription had before it moved to Advanced Commerce.
    package var previousIDs: Set<String> {
        var found: Set<String> = []
        for row in transactions { if let id = previousID(of: row) { found.insert(id) } }
        return found
    }

    private func previousID(of row: PartRow<TransactionColumns>) -> String? {
        guard let id = row.columns.previousOriginalTransactionID, id != originalTransactionID
        else { return nil }
        return id
    }

    /// The downloads (`appTransactionId`) to which the subscription belongs.
    package var downloads: Set<String> {
        var found: Set<String> = []
        var last: String?
        func add(_ id: String?) {
            guard let id, id != last else { return }
            found.insert(id)
            last = id
        }
        for row in transactions { add(row.columns.appTransactionID) }
        for row in renewals { add(row.columns.appTransactionID) }
        for row in notifications { add(row.columns.appTransactionID) }
        return found
    }

    package init(originalTransactionID: String) { self.originalTransactionID = originalTransactionID }
}
