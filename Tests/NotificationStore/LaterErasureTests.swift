@testable import NotificationStore
import SQL
import Support
import Testing

@Suite("An erasure and what the store takes after it")
struct LaterErasureTests {
    private static let environment = "Production"
    private static let (erased, successor) = (77_001, 77_002)
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    private func id(_ subscriber: Int) -> String { period(1, of: subscriber).originalTransactionID }

    /// A number of a period that Apple signs after the moment of the erasure.
    private static let after = 2000

    /// A transaction of the successor that was bought before the erasure and signed after it.
    private func refunded() throws -> StoredPart<TransactionColumns> {
        try sample.transaction(period(Self.after, of: Self.successor)) {
            $0.previousOriginalTransactionID = id(Self.erased)
            $0.purchasedAt = TestStore.now - 1000
        }
    }

    /// A notification with it.
    private func moved() throws -> StoreItem {
        let transaction = try refunded()
        var notification = try sample.outer(
            period(Self.after, of: Self.successor), type: "DID_CHANGE_RENEWAL_PREF", member: "data",
            content: #""signedTransactionInfo":"\#(String(decoding: transaction.jws, as: UTF8.self))""#)
        notification.transaction = sample.nested(transaction, in: notification)
        return sample.item(notification)
    }

    /// Takes the tombstone of a subscriber over from another store.
    private func entomb(_ subject: ErasureSubject, in store: NotificationStore) throws {
        let elsewhere = try TestStore(.sqlite)
        let second = try elsewhere.open()
        _ = try second.erase(subject)
        try store.add(second.tombstones())
    }

    @Test("leaves what Apple signed after it")
    func arriving() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let later = try moved()
        #expect(store.store([try sample.renewed(period(1, of: Self.erased)), later]) == [.stored, .stored])
        let report = try store.erase(.originalTransaction(id(Self.erased)))
        #expect(report.notificationCount == 1 && report.transactionCount == 1)
        #expect(try store.everyJWS() == [later.jws])
        #expect(store.store([later]) == [.alreadyThere])
    }

    @Test(
        "leaves a transaction whose notification was deleted since, unless the API gave it")
    func pruned() throws {
        for source in [StoreSource.push, .api] {
            let place = try TestStore(.sqlite)
            let store = try place.open()
            if source == .push {
                #expect(store.store([try moved()]) == [.stored])
                #expect(try store.prune(receivedBefore: .max, keepingTypes: []) == 1)
            } else {
                let item = try sample.item(refunded())
                #expect(store.store([item]) == [.stored])
            }
            try entomb(.originalTransaction(id(Self.erased)), in: store)
            #expect(try store.eraseEntombed().transactionCount == (source == .push ? 0 : 1))
        }
    }

    @Test("finds the subscriber in every column alone")
    func columns() throws {
        let gone = period(1, of: Self.erased)
        let renewal = try sample.item(sample.renewal(gone))
        let notification = try sample.outer(gone, type: "RENEWAL_EXTENSION", member: "data", content: "") {
            $0.originalTransactionID = gone.originalTransactionID
        }
        let named = try sample.transaction(period(2, of: Self.successor)) {
            $0.previousOriginalTransactionID = gone.originalTransactionID
        }
        let previous = sample.item(named)
        let download = try sample.item(sample.appTransaction(gone))
        for item in [
            renewal, sample.item(notification), previous, download,
        ] {
            let place = try TestStore(.sqlite)
            let store = try place.open()
            #expect(store.store([item]) == [.stored])
            try entomb(.originalTransaction(id(Self.erased)), in: store)
            try entomb(.appTransaction(gone.appTransactionID), in: store)
            #expect(try store.eraseEntombed().rowCount == 1)
            #expect(store.store([item]) == [.tombstoned])
        }
        let place = try TestStore(.sqlite)
        let store = try place.open()
        try store.noteSynchronization(
            of: [id(Self.erased), id(Self.successor)], app: Sample.app, environment: Self.environment, at: 5)
        try entomb(.originalTransaction(id(Self.erased)), in: store)
        #expect(try store.eraseEntombed().rowCount == 0)
        #expect(try store.synchronizations().rows.map(\.originalTransactionID) == [id(Self.successor)])
    }

    /// A transaction of the successor alone, signed and bought at these times; nil: it does not say when.
    private func lone(_ number: Int, _ source: StoreSource, signedAt: Int64?, purchasedAt: Int64?) throws
        -> StoreItem
    {
        let part = try sample.transaction(period(number, of: Self.successor)) {
            $0.previousOriginalTransactionID = id(Self.erased)
            $0.signedAt = signedAt
            $0.purchasedAt = purchasedAt
        }
        return StoreItem(
            .transaction(part, app: Sample.app, environment: Self.environment), source: source, receivedAt: 1)
    }

    @Test(
        "deletes those transactions that the store drops when they come alone")
    func alike() throws {
        let (place, other) = (try TestStore(.sqlite), try TestStore(.sqlite))
        let (store, empty) = (try place.open(), try other.open())
        let times = [nil, TestStore.now - 1000, TestStore.now + 1000]
        var items: [StoreItem] = []
        for source in StoreSource.allCases {
            for time in times {
                items += try times.map {
                    try lone(items.count, source, signedAt: time, purchasedAt: $0)
                }
            }
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        for store in [store, empty] { try entomb(.originalTransaction(id(Self.erased)), in: store) }
        let count = try store.eraseEntombed().transactionCount
        let outcomes = empty.store(items)
        // One that stayed is still there.
        #expect(store.store(items) == outcomes.map { $0 == .stored ? .alreadyThere : $0 })
        #expect(count == outcomes.count { $0 == .tombstoned } && count == 21)
    }
}
