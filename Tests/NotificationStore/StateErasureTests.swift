import NotificationStore
import Support
import Testing

@Suite("A state from rows that an erasure deleted")
struct StateErasureTests {
    private static let environment = "Production"
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func id(_ subscriber: Int) -> String {
        Sample.Period(number: 0, subscriber: subscriber).originalTransactionID
    }

    @Test(
        "is not written when the erased subscription has no rows of its own",
        arguments: StoreSystem.allCases
    )
    func unknownPredecessor(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let (old, new) = (7, 8)
        let linking = try sample.transaction(Sample.Period(number: 1, subscriber: new)) {
            $0.previousOriginalTransactionID = id(old)
        }
        let parts = [linking, try sample.transaction(Sample.Period(number: 2, subscriber: new))].map {
            StoreItem(
                .transaction($0, app: Sample.app, environment: Self.environment),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(parts).allSatisfy { $0 == .stored })
        func rows() throws -> SubscriberRows {
            try #require(
                try store.subscribers([id(new)], app: Sample.app, environment: Self.environment)[id(new)]
            )
        }
        func write(_ rows: SubscriberRows) throws -> Int {
            let state = SubscriberState(
                originalTransactionID: id(new),
                bytes: [1],
                sources: [id(new)],
                downloads: [],
                linkingRows: rows.linkingRows
            )
            try store.write([state], app: Sample.app, environment: Self.environment)
            return try store.states(app: Sample.app, environment: Self.environment).count
        }
        let before = try rows()
        #expect(before.linkingRows.count == 1)
        #expect(try write(before) == 1)
        _ = try store.erase(.originalTransaction(id(old)))
        #expect(try write(before) == 0)
        let mark = try store.settledMark()
        let changed = try store.changedSubscribers(
            from: mark,
            to: mark,
            app: Sample.app,
            environment: Self.environment
        )
        #expect(changed == [id(new)])
        let after = try rows()
        #expect(after.linkingRows.isEmpty && after.transactions.count == 1)
        #expect(try write(after) == 1)
    }
}
