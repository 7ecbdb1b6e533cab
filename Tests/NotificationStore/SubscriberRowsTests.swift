import NotificationStore
import SQL
import Support
import Testing

@Suite("The rows of a subscriber")
struct SubscriberRowsTests {
    private static let environment = "Production"
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func id(_ subscriber: Int) -> String {
        Sample.Period(number: 0, subscriber: subscriber).originalTransactionID
    }

    private func fill(_ store: NotificationStore, _ numbers: ClosedRange<Int>, subscribers: Int) throws {
        let items = try numbers.map {
            try sample.renewed(Sample.Period(number: $0, subscriber: $0 % subscribers))
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
    }

    @Test("come in pages that have each subscriber once and whole", arguments: StoreSystem.allCases)
    func pages(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let count = 529
        try fill(store, 1...count * 2, subscribers: count)
        // A subscriber of whom only a renewal info is known, behind all others.
        let last = Sample.Period(number: 1, subscriber: 99_999)
        let renewal = try sample.renewal(last)
        let item = sample.item(renewal)
        #expect(store.store([item]) == [.stored])
        var found = try store.allSubscribers(app: Sample.app)
        #expect(found.count == count + 1)
        #expect(found[last.originalTransactionID]?.renewals.map(\.digest).count == 1)
        found[last.originalTransactionID] = nil
        for rows in found.values {
            #expect(rows.transactions.count == 2 && rows.renewals.count == 2 && rows.notifications.count == 2)
            #expect(rows.notifications.map(\.renewalDigest) == rows.renewals.map(\.digest))
            #expect(rows.downloads.count == 1 && rows.previousIDs.isEmpty)
        }
        #expect(try store.allSubscribers(app: "other").isEmpty)
        let some = try store.subscribers([id(3), "1"], app: Sample.app, environment: Self.environment)
        #expect(some.count == 1 && some.first == found[id(3)])
    }

    @Test("have the time of the last synchronization")
    func synchronization() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        try fill(store, 1...4, subscribers: 2)
        func time() throws -> Int64? {
            try store.subscriber(id(1))?.synchronizedAt
        }
        #expect(try time() == nil)
        for moment: Int64 in [100, 200] {
            try store.rememberSynchronization(
                of: [id(1)], app: Sample.app, environment: Self.environment, at: moment)
            #expect(try time() == moment)
        }
        // An export that was made before the last synchronization has the earlier time.
        for moment: Int64 in [150, 200] {
            try store.rememberSynchronization(
                of: [id(1)], app: Sample.app, environment: Self.environment, at: moment)
            #expect(try time() == 200)
        }
        #expect(throws: NotificationStoreError.badArgument) {
            try store.rememberSynchronization(of: ["\0"], app: "a", environment: "e", at: 1)
        }
    }

    /// Gives a subscriber so many more notifications.
    private func add(_ count: Int64, to id: String, in place: TestStore) throws {
        try place.connect().run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS BIGINT))
            INSERT INTO notifications (app, environment, uuid, source, received_at, original_transaction_id)
            SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT) || i, 'push', 0, CAST(? AS TEXT) FROM n
            """,
            [.integer(count), .text(Sample.app), .text(Self.environment), .text(id + ":"), .text(id)]
        )
    }

    @Test("are read of everybody also where some have very many; too many are left out")
    func many() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        try fill(store, 1...600, subscribers: 300)
        let before = try store.allSubscribers(app: Sample.app)
        // More than a statement reads, as much as counts of one subscriber, and one row more than that.
        try add(33_000, to: id(7), in: place)
        try add(9_998, to: id(8), in: place)
        try add(9_999, to: id(299), in: place)
        let after = try store.allSubscribers(app: Sample.app)
        #expect(after.keys.sorted() == before.keys.sorted())
        for (name, rows) in after {
            switch name {
            case id(7), id(299): #expect(rows.hasTooMany && rows.count == 0)
            case id(8): #expect(rows.notifications.count == 10_000 && rows.transactions.count == 2)
            default: #expect(rows == before[name])
            }
        }
        let listed = try store.subscribers(
            (0..<299).map(id), app: Sample.app, environment: Self.environment)
        #expect(listed == (0..<299).compactMap { after[id($0)] })
    }

    @Test(
        "do not count as whole when those of the subscription before a move were erased")
    func erased() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        // Each moved from the one before, but for the last.
        let ids = (1...5).map(id)
        let parts = try (1...5).map { number in
            StoreItem(
                .transaction(
                    try sample.transaction(Sample.Period(number: number, subscriber: number)) {
                        $0.previousOriginalTransactionID = 2...4 ~= number ? ids[number - 2] : nil
                    },
                    app: Sample.app,
                    environment: Self.environment
                ),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(parts).allSatisfy { $0 == .stored })
        func remember(at time: Int64) throws {
            try store.rememberSynchronization(
                of: Set(ids), app: Sample.app, environment: Self.environment, at: time)
        }
        func times() throws -> [String: Int64] {
            try store.allSubscribers(app: Sample.app)
                .compactMapValues(\.synchronizedAt)
        }
        try remember(at: 5)
        _ = try store.erase(.originalTransaction(ids[0]))
        #expect(try times() == [ids[4]: 5])
        try remember(at: 6)
        // The row of the second one named the erased one.
        #expect(try times() == [ids[2]: 6, ids[3]: 6, ids[4]: 6])
        #expect(try !store.synchronizations().rows.map(\.originalTransactionID).contains(ids[0]))
    }
}
