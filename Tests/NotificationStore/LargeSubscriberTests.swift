import NotificationStore
import SQL
import Support
import Testing

@Suite("A subscriber with very many rows")
struct LargeSubscriberTests {
    private static let environment = "Production"
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func id(_ subscriber: Int) -> String {
        Sample.Period(number: 0, subscriber: subscriber).originalTransactionID
    }

    /// Gives a subscriber so many more notifications.
    private static func add(_ count: Int64, to id: String, of app: String = Sample.app, in place: TestStore)
        throws
    {
        try place.connect().run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS BIGINT))
            INSERT INTO notifications (app, environment, uuid, source, received_at, original_transaction_id)
            SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT) || i, 'push', 0, CAST(? AS TEXT) FROM n
            """,
            [.integer(count), .text(app), .text(environment), .text(id + ":"), .text(id)]
        )
    }

    /// Reads all pages. Each subscriber comes once.
    private static func all(_ store: NotificationStore, _ app: String) throws -> [String: SubscriberRows] {
        try store.allSubscribers(app: app, environment: environment)
    }

    @Test("does not keep those of others from being read, in any page", arguments: StoreSystem.allCases)
    func pages(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let count = NotificationStore.subscriberPageCount + 44
        let items = try (1...count * 2).map {
            try sample.renewed(Sample.Period(number: $0, subscriber: $0 % count))
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let before = try Self.all(store, Sample.app)
        #expect(before.count == count && before.values.allSatisfy { $0.count == 6 })
        // More than a statement reads, as much as counts of one subscriber, and one row more than that.
        try Self.add(33_000, to: id(7), in: place)
        try Self.add(9_998, to: id(8), in: place)
        try Self.add(9_999, to: id(count - 1), in: place)
        // So many that a page ends before all subscribers of it were read.
        let many = 20..<27
        for number in many { try Self.add(9_500, to: id(number), in: place) }
        let after = try Self.all(store, Sample.app)
        #expect(after.keys.sorted() == before.keys.sorted())
        for (name, rows) in after {
            switch name {
            case id(7), id(count - 1): #expect(rows.hasTooMany && rows.count == 0)
            case _ where many.contains { id($0) == name }:
                #expect(rows.notifications.count == 9_502)
            case id(8): #expect(rows.notifications.count == 10_000 && rows.transactions.count == 2)
            default: #expect(rows == before[name])
            }
        }
        #expect(try Self.all(store, "other").isEmpty)
        var rest = (0..<count - 1).map(id)
        var listed: [String: SubscriberRows] = [:]
        var pageCount = 0
        while !rest.isEmpty {
            let page = try store.subscribers(
                Array(rest.prefix(NotificationStore.subscriberPageCount)), app: Sample.app,
                environment: Self.environment)
            try #require(page.readCount > 0)
            pageCount += 1
            rest.removeFirst(page.readCount)
            listed.merge(page.rows) { $1 }
        }
        #expect(pageCount > 2)
        #expect(listed == after.filter { $0.key != id(count - 1) })
    }

    @Test("does not hide rows in one table alone, or of another app")
    func oneTable() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        try Self.add(33_000, to: id(7), of: "other", in: place)
        try Self.add(3, to: id(6), in: place)
        func period(_ subscriber: Int) -> Sample.Period {
            Sample.Period(number: subscriber, subscriber: subscriber)
        }
        let items = [
            try sample.renewed(period(7)),
            try sample.item(sample.transaction(period(5))),
            try sample.item(sample.renewal(period(8))),
        ]
        #expect(store.store(items) == [.stored, .stored, .stored])
        let ids = (5...9).map(id)
        let listed = try store.subscribers(ids, app: Sample.app, environment: Self.environment)
        #expect(listed.readCount == ids.count)
        for rows in [try Self.all(store, Sample.app), listed.rows] {
            #expect(rows.mapValues(\.count) == [id(5): 1, id(6): 3, id(7): 3, id(8): 1])
        }
        #expect(try Self.all(store, "other")[id(7)]?.hasTooMany == true)
    }
}
