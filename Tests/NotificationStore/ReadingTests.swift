@testable import NotificationStore
import SignedPayloads
import SQL
import Support
import Testing

@Suite("Reading a store")
struct ReadingTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// Opens a store with 60 notifications: of three subscribers, every fifth of another type, the last ten from history.
    private func filled(_ place: TestStore) throws -> NotificationStore {
        let store = try place.open()
        var items: [StoreItem] = []
        for number in 1...60 {
            items.append(
                try sample.renewed(
                    Sample.Period(number: number, subscriber: number % 3),
                    type: number % 5 == 0 ? "EXPIRED" : "DID_RENEW", source: number > 50 ? .history : .push)
            )
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        return store
    }

    private func list(
        _ store: NotificationStore, _ order: StorePage.Order = .ascending, count: Int = 7,
        _ change: (inout NotificationFilter) -> Void
    ) throws -> [Int64] {
        var filter = NotificationFilter()
        change(&filter)
        var ids: [Int64] = []
        var after: Int64?
        repeat {
            let page = try store.notifications(filter, StorePage(order, after: after, count: count))
            #expect(page.rows.count <= count)
            ids += page.rows.map(\.id)
            after = page.next
        } while after != nil
        return ids
    }

    @Test("lists by each property, in both directions, page by page", arguments: StoreSystem.allCases)
    func filters(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try filled(place)
        let numbers = Array(Int64(1)...60)
        let period = Sample.Period(number: 30, subscriber: 0)
        let rows: [((inout NotificationFilter) -> Void, (Int64) -> Bool)] = [
            ({ _ in }, { _ in true }), ({ $0.app = Sample.app }, { _ in true }),
            ({ $0.app = "other" }, { _ in false }),
            ({ $0.environment = "Production" }, { _ in true }),
            ({ $0.environment = "Sandbox" }, { _ in false }),
            ({ $0.uuid = period.uuid }, { $0 == 30 }), ({ $0.type = "EXPIRED" }, { $0 % 5 == 0 }),
            ({ $0.subtype = "X" }, { _ in false }),
            ({ $0.originalTransactionID = period.originalTransactionID }, { $0 % 3 == 0 }),
            ({ $0.productID = "pro_monthly" }, { _ in true }), ({ $0.productID = "other" }, { _ in false }),
            ({ $0.source = .history }, { $0 > 50 }),
            ({ $0.receivedFrom = Sample.received + 11 }, { $0 >= 11 }),
            ({ $0.receivedTo = Sample.received + 11 }, { $0 < 11 }),
        ]
        for (number, row) in rows.enumerated() {
            let expected = numbers.filter(row.1)
            #expect(try list(store, .ascending, row.0) == expected, "row \(number)")
            #expect(try list(store, .descending, count: 1000, row.0) == expected.reversed(), "row \(number)")
            #expect(try list(store, .descending, count: 4, row.0) == expected.reversed(), "row \(number)")
        }
        let both = try list(store) {
            $0.type = "EXPIRED"
            $0.originalTransactionID = period.originalTransactionID
        }
        #expect(both == [15, 30, 45, 60])
    }

    @Test("gives back one JWS by its number, and tells a damaged row")
    func damagedRows() throws {
        let place = try TestStore(.sqlite)
        let store = try filled(place)
        #expect(try store.jws(.notification, id: 5) == store.everyJWS()[4])
        #expect(try store.jws(.notification, id: 99) == nil && store.jws(.transaction, id: 0) == nil)
        let connection = try place.connect()
        try connection.run("DELETE FROM transactions WHERE id = 5")
        try connection.run("UPDATE transactions SET price = 1 WHERE id = 6")
        try connection.run("UPDATE transactions SET payload = signature WHERE id = 7")
        try connection.run("UPDATE renewals SET header_id = 77 WHERE id = 8")
        #expect(throws: NotificationStoreError.incompleteRow) { try store.jws(.notification, id: 5) }
        #expect(try store.jws(.transaction, id: 5) == nil)
        #expect(try store.jws(.transaction, id: 6) != nil)
        #expect(throws: NotificationStoreError.incompleteRow) { try store.jws(.transaction, id: 7) }
        #expect(throws: NotificationStoreError.incompleteRow) { try store.jws(.renewal, id: 8) }
        #expect(throws: NotificationStoreError.incompleteRow) { try store.jws(.notification, id: 8) }
        let page = try store.jws(.notification, after: 3, count: 6)
        #expect(page.rows.map { $0.jws == nil } == [false, true, false, false, true, false])
        // The transaction of this notification is another one now, which its signature tells, not the store.
        #expect(page.rows[3].id == 7 && page.next == 9)
        #expect(page.rows[0].app == Sample.app && page.rows[0].source == "push")
    }

    @Test("tells up to where every notification has its place", arguments: StoreSystem.allCases)
    func settled(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try filled(place)
        #expect(try store.settledNotificationID() == 60)
        // A program that may only read can ask, too.
        #expect(try place.open(.read).settledNotificationID() == 60)
        guard system == .postgreSQL else { return }
        // Somebody has numbers 61 and 62 and has not committed. Whoever read up to 62 now would miss 61 for ever.
        let slow = try place.open()
        try slow.change(.shared) { connection throws(SQLError) in
            _ = try connection.query("SELECT nextval(pg_get_serial_sequence('notifications', 'id'))")
            do {
                let error = #expect(throws: NotificationStoreError.self) { try store.settledNotificationID() }
                #expect(error?.code == "sql.busy")
            }
        }
        #expect(try store.settledNotificationID() == 60)
    }
}
