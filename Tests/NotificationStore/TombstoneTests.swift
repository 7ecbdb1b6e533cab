import NotificationStore
import Support
import Testing

@Suite("A tombstone")
struct TombstoneTests {
    private let sample: Sample
    private let place: TestStore
    private let store: NotificationStore

    init() throws {
        sample = try Sample()
        place = try TestStore(.sqlite)
        store = try place.open()
    }

    /// The subscriber who was erased, the one under whose identifier the subscription goes on, one whose download was erased, and
    /// somebody else.
    private static let (erased, successor, downloaded, other) = (77_001, 77_002, 77_003, 77_004)
    private static let (before, after) = (10, 2000)

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    private func id(_ subscriber: Int) -> String { period(1, of: subscriber).originalTransactionID }

    private func moved(_ number: Int) throws -> StoreItem {
        try sample.moved(period(number, of: Self.successor), from: id(Self.erased))
    }

    /// The transaction as Apple's server returns it when somebody asks, signed and bought at these times.
    private func alone(
        _ number: Int, _ source: StoreSource, _ change: (inout TransactionColumns) -> Void = { _ in }
    ) throws -> StoreItem {
        let part = try sample.transaction(period(number, of: Self.successor)) {
            $0.previousOriginalTransactionID = id(Self.erased)
            change(&$0)
        }
        return StoreItem(
            .transaction(part, app: Sample.app, environment: "Production"), source: source, receivedAt: 1)
    }

    private func mark(_ ids: Int..., in store: NotificationStore) throws {
        try store.rememberSynchronization(
            of: Set(ids.map(id)), app: Sample.app, environment: "Production", at: 5)
    }

    @Test("keeps out of a subscription that goes on what happened before the erasure, and nothing later")
    func successor() throws {
        #expect(store.store([try moved(Self.before)]) == [.stored])
        #expect(try store.erase(.originalTransaction(id(Self.erased))).notificationCount == 1)
        #expect(
            store.store([
                try moved(Self.before), try moved(Self.before + 1), try alone(Self.before + 2, .api),
                try moved(Self.after), try alone(Self.after + 1, .api),
            ]) == [.tombstoned, .tombstoned, .tombstoned, .stored, .stored]
        )
        // The erased subscription itself stays out for ever.
        #expect(store.store([try sample.renewed(period(Self.after, of: Self.erased))]) == [.tombstoned])
        // Nothing but the identifier of the erased one leads to the successor.
        #expect(
            store.store([try sample.renewed(period(Self.before + 3, of: Self.successor))]) == [.stored])
    }

    @Test("moves on in time when the same subscription is erased again")
    func again() throws {
        _ = try store.erase(.originalTransaction(id(Self.erased)))
        let item = try moved(Self.after)
        #expect(store.store([item]) == [.stored])
        let old = try store.tombstones()
        let later = try place.open(now: TestStore.now + 10_000_000)
        let report = try later.erase(.originalTransaction(id(Self.erased)))
        #expect(report.notificationCount == 1 && report.transactionCount == 1)
        // An older tombstone that is taken over does not move the time back.
        try later.entomb(.originalTransaction(id(Self.erased)))
        try later.add(old)
        #expect(later.store([item]) == [.tombstoned])
    }

    /// Payloads of parts that fail their check, where ID stands for the identifier of a subscription and APP for that of a
    /// download, and true when the tombstone of the subscription keeps a notification with the part out.
    static let faultyParts: [(payload: String, isKeptOut: Bool)] = [
        (#"{"originalTransactionId":"ID","productId":"pro"}"#, true),
        (#"{"productId":"pro", "originalTransactionId" : "ID"}"#, true),
        (#"{"originalTransactionId":ID}"#, true), ("{\"a\":1,\n\"originalTransactionId\":\n\"ID\"", true),
        (#"{"transactionId":"1","previousOriginalTransactionId":"ID"}"#, true),
        (#"{"transactionId":"ID","productId":"pro"}"#, false),
        (#"{"originalTransactionId":"ID0","productId":"pro"}"#, false),
        (#"{"originalTransactionId":["ID"],"productId":"pro"}"#, false),
        (#"{"appTransactionId":"ID","originalTransactionId":"9"}"#, false),
        (#"{"appTransactionId":"APP","originalTransactionId":"9"}"#, true),
    ]

    @Test(
        "keeps a subscriber out whom only parts name that failed their check",
        arguments: ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]
    )
    func faulty(member: String) throws {
        let gone = period(1, of: Self.erased)
        _ = try store.erase(.originalTransaction(gone.originalTransactionID))
        _ = try store.erase(.appTransaction(gone.appTransactionID))
        for (number, row) in Self.faultyParts.enumerated() {
            let payload = row.payload.replacing("ID0", with: gone.originalTransactionID + "0")
                .replacing("\"ID\"", with: "\"\(gone.originalTransactionID)\"")
                .replacing(":ID}", with: ":\(gone.originalTransactionID)}")
                .replacing("APP", with: gone.appTransactionID)
            let item = try sample.faulty(period(number + 1, of: Self.erased), payload, member: member)
            #expect(store.store([item]) == [row.isKeptOut ? .tombstoned : .stored], "\(row.payload)")
        }
    }

    @Test(
        "of another store deletes what a store has of its subscriber, and nothing else",
        arguments: StoreSystem.allCases)
    func takenOver(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let gone = [
            try sample.renewed(period(1, of: Self.erased)),
            try sample.renewed(period(Self.after, of: Self.erased)), try moved(Self.before),
            try sample.faulty(
                period(3, of: Self.erased), #"{"originalTransactionId":"\#(id(Self.erased))"}"#),
            try sample.renewed(period(4, of: Self.downloaded)),
        ]
        let kept = [
            try moved(Self.after + 1), try sample.renewed(period(Self.before + 1, of: Self.successor)),
            try sample.renewed(period(5, of: Self.other)), try sample.test(6),
        ]
        #expect(store.store(gone + kept).allSatisfy { $0 == .stored })
        try mark(Self.erased, Self.successor, Self.downloaded, Self.other, in: store)
        #expect(try store.eraseEntombed().rowCount == 0)
        try store.entomb(
            .originalTransaction(id(Self.erased)),
            .appTransaction(period(1, of: Self.downloaded).appTransactionID))
        let asked = [Self.erased, Self.other].map { ErasureSubject.originalTransaction(id($0)) }
        #expect(try store.entombed(Set(asked)) == [asked[0]])
        let report = try store.eraseEntombed()
        #expect(report.notificationCount == gone.count && report.transactionCount == gone.count - 1)
        #expect(try store.everyJWS() == kept.map(\.jws))
        // Whose rows are deleted has no whole history.
        #expect(try store.synchronized() == [id(Self.other)])
        // What is kept is what the store would take.
        #expect(
            store.store(gone + kept).map { $0 == .tombstoned }
                == gone.map { _ in true } + kept.map { _ in false })
        try mark(Self.successor, in: store)
        #expect(try store.eraseEntombed().rowCount == 0 && store.synchronized().count == 2)
        let bad = StoreTombstones(keys: [[1]], entries: [])
        #expect(throws: NotificationStoreError.badArgument) { try store.add(bad) }
    }

    @Test(
        "of a download deletes its subscriptions, also rows that do not name the download, and keeps them out"
    )
    func download() throws {
        func old(_ number: Int) throws -> StoreItem {
            try sample.item(
                sample.transaction(period(number, of: Self.downloaded)) { $0.appTransactionID = nil })
        }
        let gone = [try sample.renewed(period(4, of: Self.downloaded)), try old(5), try old(6)]
        let kept = try sample.renewed(period(7, of: Self.other))
        #expect(store.store(gone + [kept]).allSatisfy { $0 == .stored })
        try mark(Self.downloaded, Self.other, in: store)
        // The other store has no rows of the download.
        try store.entomb(.appTransaction(period(4, of: Self.downloaded).appTransactionID))
        let report = try store.eraseEntombed()
        #expect(report.transactionCount == 3 && report.erasedOriginalTransactionIDs == [id(Self.downloaded)])
        #expect(report.linkedOriginalTransactionIDs.isEmpty && report.linkedAppTransactionIDs.isEmpty)
        #expect(try store.everyJWS() == [kept.jws] && store.everyJWS(.transaction).count == 1)
        #expect(try store.synchronized() == [id(Self.other)])
        #expect(store.store(gone + [try old(8)]).allSatisfy { $0 == .tombstoned })
        #expect(try store.eraseEntombed().rowCount == 0)
    }

    @Test("leaves what Apple signed after the erasure")
    func arriving() throws {
        // Bought before the erasure, and signed after it.
        let later = try sample.moved(period(Self.after, of: Self.successor), from: id(Self.erased)) {
            $0.purchasedAt = TestStore.now - 1000
        }
        #expect(store.store([try sample.renewed(period(1, of: Self.erased)), later]) == [.stored, .stored])
        let report = try store.erase(.originalTransaction(id(Self.erased)))
        #expect(report.notificationCount == 1 && report.transactionCount == 1)
        #expect(try store.everyJWS() == [later.jws])
        #expect(store.store([later]) == [.alreadyThere])
    }

    @Test("finds the subscriber in every column alone")
    func columns() throws {
        let gone = period(1, of: Self.erased)
        let notification = try sample.outer(gone, type: "RENEWAL_EXTENSION", member: "data", content: "") {
            $0.originalTransactionID = gone.originalTransactionID
        }
        for item in [
            try sample.item(sample.renewal(gone)), sample.item(notification), try alone(2, .api),
            try sample.item(sample.appTransaction(gone)),
        ] {
            let place = try TestStore(.sqlite)
            let store = try place.open()
            #expect(store.store([item]) == [.stored])
            try store.entomb(
                .originalTransaction(id(Self.erased)), .appTransaction(gone.appTransactionID))
            #expect(try store.eraseEntombed().rowCount == 1)
            #expect(store.store([item]) == [.tombstoned])
        }
        try mark(Self.erased, Self.successor, in: store)
        try store.entomb(.originalTransaction(id(Self.erased)))
        #expect(try store.eraseEntombed().rowCount == 0)
        #expect(try store.synchronized() == [id(Self.successor)])
    }

    @Test("deletes those transactions that the store drops when they come alone")
    func alike() throws {
        let other = try TestStore(.sqlite)
        let empty = try other.open()
        let times = [nil, TestStore.now - 1000, TestStore.now + 1000]
        var items: [StoreItem] = []
        for source in StoreSource.allCases {
            for signedAt in times {
                for purchasedAt in times {
                    items.append(
                        try alone(items.count, source) {
                            ($0.signedAt, $0.purchasedAt) = (signedAt, purchasedAt)
                        })
                }
            }
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        for store in [store, empty] { try store.entomb(.originalTransaction(id(Self.erased))) }
        let count = try store.eraseEntombed().transactionCount
        let outcomes = empty.store(items)
        // One that stayed is still there.
        #expect(store.store(items) == outcomes.map { $0 == .stored ? .alreadyThere : $0 })
        #expect(count == outcomes.count { $0 == .tombstoned } && count == 21)
    }
}
