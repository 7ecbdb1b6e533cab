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
        notification.transaction = .sound(transaction)
        return StoreItem(.notification(notification), source: .push, receivedAt: 1)
    }

    /// Takes the tombstone of a subscriber over from another store.
    private func entomb(_ subject: ErasureSubject, in store: NotificationStore) throws {
        let elsewhere = try TestStore(.sqlite)
        let second = try elsewhere.open()
        _ = try second.erase(subject)
        try store.add(second.tombstones())
    }

    @Test("leaves what Apple signed after it", arguments: StoreSystem.allCases)
    func arriving(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let later = try moved()
        #expect(store.store([try sample.renewed(period(1, of: Self.erased)), later]) == [.stored, .stored])
        let report = try store.erase(.originalTransaction(id(Self.erased)))
        #expect(report.notificationCount == 1 && report.transactionCount == 1)
        #expect(try store.everyJWS() == [later.jws])
        #expect(store.store([later]) == [.alreadyThere])
    }

    @Test(
        "leaves a transaction whose notification was deleted since, unless the API gave it",
        arguments: StoreSystem.allCases
    )
    func pruned(system: StoreSystem) throws {
        for source in [StoreSource.push, .api] {
            let place = try TestStore(system)
            let store = try place.open()
            if source == .push {
                #expect(store.store([try moved()]) == [.stored])
                #expect(try store.prune(receivedBefore: .max, keepingTypes: []) == 1)
            } else {
                let item = StoreItem(
                    .transaction(try refunded(), app: Sample.app, environment: Self.environment),
                    source: .api, receivedAt: 1)
                #expect(store.store([item]) == [.stored])
            }
            try entomb(.originalTransaction(id(Self.erased)), in: store)
            #expect(try store.eraseEntombed().transactionCount == (source == .push ? 0 : 1))
        }
    }

    @Test("finds the subscriber in every column alone", arguments: StoreSystem.allCases)
    func columns(system: StoreSystem) throws {
        let gone = period(1, of: Self.erased)
        let renewal = StoreItem(
            .renewal(try sample.renewal(gone), app: Sample.app, environment: Self.environment), source: .api,
            receivedAt: 1)
        let notification = try sample.outer(gone, type: "RENEWAL_EXTENSION", member: "data", content: "") {
            $0.originalTransactionID = gone.originalTransactionID
        }
        let named = try sample.transaction(period(2, of: Self.successor)) {
            $0.previousOriginalTransactionID = gone.originalTransactionID
        }
        let previous = StoreItem(
            .transaction(named, app: Sample.app, environment: Self.environment), source: .api, receivedAt: 1)
        let download = StoreItem(
            .appTransaction(try sample.appTransaction(gone), app: Sample.app, environment: Self.environment),
            source: .api, receivedAt: 1)
        for item in [
            renewal, StoreItem(.notification(notification), source: .push, receivedAt: 1), previous, download,
        ] {
            let place = try TestStore(system)
            let store = try place.open()
            #expect(store.store([item]) == [.stored])
            try entomb(.originalTransaction(id(Self.erased)), in: store)
            try entomb(.appTransaction(gone.appTransactionID), in: store)
            #expect(try store.eraseEntombed().rowCount == 1)
            #expect(store.store([item]) == [.tombstoned])
        }
        let place = try TestStore(system)
        let store = try place.open()
        try store.noteSynchronization(
            of: [id(Self.erased), id(Self.successor)], app: Sample.app, environment: Self.environment, at: 5)
        try entomb(.originalTransaction(id(Self.erased)), in: store)
        #expect(try store.eraseEntombed().rowCount == 0)
        #expect(try store.synchronizations().rows.map(\.originalTransactionID) == [id(Self.successor)])
    }

    @Test("of very many rows takes few transactions, and leaves nothing", arguments: StoreSystem.allCases)
    func many(system: StoreSystem) throws {
        final class Steps { var count = 0 }
        let place = try TestStore(system)
        let steps = Steps()
        var timing = StoreTiming.system
        timing.elapsed = { 0 }
        timing.sleep = { _ in steps.count += 1 }
        let store = try place.open(timing: timing)
        #expect(store.store([try sample.renewed(period(1, of: Self.erased))]) == [.stored])
        try place.connect().run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
            INSERT INTO notifications (app, environment, uuid, source, received_at, original_transaction_id)
            SELECT CAST(? AS TEXT), CAST(? AS TEXT), 'many' || i, 'push', 0, CAST(? AS TEXT) FROM n
            """,
            [.text(Sample.app), .text(Self.environment), .text(id(Self.erased))]
        )
        #expect(try store.erase(.originalTransaction(id(Self.erased))).notificationCount == 12_001)
        // 64, 128 and so on; then 4096; and one each for a transaction and a renewal info.
        #expect(steps.count == 10)
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
        "deletes those transactions that the store drops when they come alone",
        arguments: StoreSystem.allCases
    )
    func alike(system: StoreSystem) throws {
        let (place, other) = (try TestStore(system), try TestStore(system))
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

    @Test("deletes rows of a successor in the order of their numbers", arguments: StoreSystem.allCases)
    func order(system: StoreSystem) throws {
        final class Steps {
            var look: (any SQLConnection)?
            var left: [[Int64]] = []
            func note() {
                let rows = try? look?.query("SELECT id FROM transactions ORDER BY id")
                left.append((rows ?? []).compactMap { try? $0.integer(0) })
            }
        }
        let place = try TestStore(system)
        let steps = Steps()
        var timing = StoreTiming.system
        timing.elapsed = { 0 }
        timing.sleep = { _ in steps.note() }
        let store = try place.open(timing: timing)
        steps.look = try place.connect()
        let items = try (1...200).map {
            try lone($0, .api, signedAt: TestStore.now - 1000, purchasedAt: TestStore.now - Int64($0))
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        steps.note()
        let all = steps.left.removeLast()
        #expect(try store.erase(.originalTransaction(id(Self.erased))).transactionCount == 200)
        #expect(all.count == 200 && steps.left == [Array(all[64...]), Array(all[192...]), []])
    }
}
