import NotificationStore
import Support
import Testing

@Suite("Ranges of subscribers")
struct SubscriberRangeTests {
    private static let environment = "Production"

    @Test(
        "have at most a page of subscribers, also of those without a transaction",
        arguments: StoreSystem.allCases
    )
    func withoutTransactions(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let sample = try Sample()
        let count = 2 * NotificationStore.subscriberPageCount + 9
        let items = try (1...count).map { number in
            StoreItem(
                .renewal(
                    try sample.renewal(Sample.Period(number: number, subscriber: number)),
                    app: Sample.app,
                    environment: Self.environment
                ),
                source: .api,
                receivedAt: 1
            )
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        var counts: [Int] = []
        var next: SubscriberRange? = try store.subscriberRange(after: nil)
        while let range = next {
            let page = try store.subscribers(
                in: range,
                app: Sample.app,
                environment: Self.environment
            )
            #expect(page.next == nil)
            counts.append(page.rows.count)
            next = try range.last.map { try store.subscriberRange(after: $0) }
        }
        #expect(counts == [256, 256, 9])
        #expect(
            try store.allSubscribers(app: Sample.app, environment: Self.environment).count
                == count
        )
    }
}
