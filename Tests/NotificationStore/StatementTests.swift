import SQL
import Support
import Testing

@testable import NotificationStore

@Suite("Statements that run at each start or batch")
struct StatementTests {
    /// Returns how the database system would run a statement.
    private static func plan(_ text: SQLText, _ values: [SQLValue], in place: TestStore) throws -> String {
        let connection = try place.connect()
        let rows: [SQLRow]
        switch place.system {
        case .sqlite: rows = try connection.query("EXPLAIN QUERY PLAN " + text, values)
        case .postgreSQL:
            // PostgreSQL reads a small table from its beginning to its end, although there is an index.
            try connection.run("SET enable_seqscan = off")
            rows = try connection.query("EXPLAIN " + text, values)
        }
        return rows.map { "\($0.values)" }.joined(separator: "\n")
    }

    /// A value for each question mark.
    private static func marks(of text: SQLText) -> [SQLValue] {
        [SQLValue](repeating: .text("x"), count: "\(text)".count { $0 == "?" })
    }

    /// SQLite does not count rows, so it takes the index of app and environment for a selective one wherever both are named.
    @Test(
        "read no whole table for each page of subscribers",
        arguments: ["listed", "between", "behind"]
    )
    func pages(name: String) throws {
        let conditions = [
            "listed": SubscriberSearch.listed, "between": SubscriberSearch.between,
            "behind": SubscriberSearch.behind,
        ]
        let condition = try #require(conditions[name])
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let search = SubscriberSearch(condition: condition, values: [], app: "", environment: "")
        for table in [StoreTable.transactions, .renewals, .notifications] {
            let text = search.statement(["id", "app", "environment"], table) + " LIMIT 32769"
            let plan = try Self.plan(text, Self.marks(of: text), in: place)
            #expect(plan.contains("_subscriber (original_transaction_id"), "\(plan)")
        }
        let other: SQLText =
            "SELECT type FROM notifications WHERE " + condition + " AND app = ? AND environment = ?"
        if name != "listed" {
            let plan = try Self.plan(other, Self.marks(of: other), in: place)
            #expect(plan.contains("(app=? AND environment=?)"), "\(plan)")
        }
        withExtendedLifetime(store) {}
    }

    /// PostgreSQL counts rows, and takes another index while the table is empty.
    @Test("read no whole table to find moves to Advanced Commerce")
    func successors() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let text = SubscriptionMoves.search
        let plan = try Self.plan(text, Self.marks(of: text), in: place)
        #expect(plan.contains("transactions_previous"), "\(plan)")
        withExtendedLifetime(store) {}
    }

    @Test("read no whole table, and sort none, to erase a subscriber or to find the next ones")
    func erasures() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        func expect(_ text: SQLText, _ parts: [String], sorts: Bool = false) throws {
            let plan = try Self.plan(text, Self.marks(of: text), in: place)
            for part in parts { #expect(plan.contains(part), "\(text): \(plan)") }
            #expect(sorts || !plan.contains("TEMP B-TREE"), "\(text): \(plan)")
            let tables = StoreTable.allCases.map(\.name) + ["synchronizations"]
            for table in tables { #expect(!plan.contains("SCAN \(table)"), "\(text): \(plan)") }
        }
        try expect(Erasure.nextPair, ["(app,environment)>(?,?)"])
        try expect(
            Erasure.synchronizationDeletion, ["(app=? AND environment=? AND original_transaction_id=?)"])
        let subscription = Erasure(subject: .originalTransaction("1"))
        for table in [StoreTable.transactions, .renewals, .notifications] {
            try expect(try #require(subscription.ownRows(table)), ["_subscriber (original_transaction_id=?)"])
            let single = SubscriberSearch(
                condition: SubscriberSearch.single, values: [], app: "", environment: "")
            try expect(
                single.statement(["id"], table) + " LIMIT 10001", ["_subscriber (original_transaction_id=?)"])
        }
        for table in StoreTable.allCases {
            let own = Erasure(subject: .appTransaction("1")).ownRows(table)
            try expect(try #require(own), ["_customer (app_transaction_id=?)"])
            // A batch comes to its rows by their numbers alone.
            try expect(Erasure.search(table), ["SEARCH \(table.name) USING INTEGER PRIMARY KEY (rowid=?)"])
        }
        try expect(Erasure.movedTransactions, ["transactions_previous (previous_original_transaction_id=?)"])
        try expect(
            Erasure.movedNotifications,
            [
                "n USING INDEX notifications_subscriber", "t USING INDEX transactions_digest",
                "renewals_digest",
            ])
        let subscribers = ["transactions", "renewals", "notifications"].map {
            "\($0)_subscriber (original_transaction_id"
        }
        for condition in [SubscriberSearch.behind, SubscriberSearch.between] {
            let search = SubscriberSearch(condition: condition, values: [], app: "", environment: "")
            try expect(search.nextIDs, subscribers, sorts: true)
        }
        for search in EntombedSearch.subscriptions + EntombedSearch.downloads {
            try expect(search.page, ["SEARCH "], sorts: true)
        }
        withExtendedLifetime(store) {}
    }

    @Test("ask for subscribers only when the store has tombstones", arguments: StoreSystem.allCases)
    func subjects(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        var askedCount = 0
        func places() throws -> Set<Int> {
            try Tombstones.places(of: ["1", "2"], on: try place.connect()) { id in
                askedCount += 1
                return [.originalTransaction(id)]
            }
        }
        #expect(try places() == [] && askedCount == 0)
        _ = try store.erase(.originalTransaction("2"))
        #expect(try places() == [1] && askedCount == 2)
    }
}
