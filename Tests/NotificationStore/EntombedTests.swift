import NotificationStore
import Support
import Testing

@Suite("Tombstones of another store")
struct EntombedTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// The subscriber who was erased in the other store, the one under whose identifier the subscription goes on, one whose
    /// download was erased, and somebody else.
    private static let (erased, successor, downloaded, other) = (77_001, 77_002, 77_003, 77_004)

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    private func id(_ subscriber: Int) -> String { period(1, of: subscriber).originalTransactionID }

    /// A notification of the successor that names the subscription before the move.
    private func moved(_ number: Int) throws -> StoreItem {
        let transaction = try sample.transaction(period(number, of: Self.successor)) {
            $0.previousOriginalTransactionID = id(Self.erased)
        }
        var notification = try sample.outer(
            period(number, of: Self.successor), type: "DID_RENEW", member: "data",
            content: #""signedTransactionInfo":"\#(String(decoding: transaction.jws, as: UTF8.self))""#)
        notification.transaction = sample.nested(transaction, in: notification)
        return sample.item(notification)
    }

    /// A notification with a part that failed its check and names the erased subscription.
    private func faulty(_ number: Int) throws -> StoreItem {
        let payload = #"{"originalTransactionId":"\#(id(Self.erased))"}"#
        let jws = String(decoding: try sample.signer.token(Array(payload.utf8)), as: UTF8.self)
        var notification = try sample.outer(
            period(number, of: Self.erased), type: "DID_RENEW", member: "data",
            content: #""signedTransactionInfo":"\#(jws)""#)
        notification.transaction = .faulty(code: "signature-invalid")
        return sample.item(notification)
    }

    /// Numbers of periods that Apple signs before and after the moment of the erasure.
    private static let (before, after) = (10, 2000)

    private func uuids(_ store: NotificationStore) throws -> Set<String> {
        Set(try store.notifications(NotificationFilter()).rows.map(\.uuid))
    }

    private func mark(_ ids: [Int], in store: NotificationStore) throws {
        try store.noteSynchronization(of: Set(ids.map(id)), app: Sample.app, environment: "Production", at: 5)
    }

    @Test("delete what a store has of their subscribers, and nothing else", arguments: StoreSystem.allCases)
    func deleted(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let gone = [
            try sample.renewed(period(1, of: Self.erased)),
            try sample.renewed(period(Self.after, of: Self.erased)),
            try moved(Self.before), try faulty(3), try sample.renewed(period(4, of: Self.downloaded)),
        ]
        let kept = [
            try moved(Self.after + 1), try sample.renewed(period(Self.before + 1, of: Self.successor)),
            try sample.renewed(period(5, of: Self.other)), try sample.test(6),
        ]
        #expect(store.store(gone + kept).allSatisfy { $0 == .stored })
        let subscribers = [Self.erased, Self.successor, Self.downloaded, Self.other]
        try mark(subscribers, in: store)
        #expect(try store.eraseEntombed().rowCount == 0)
        let elsewhere = try TestStore(.sqlite)
        let second = try elsewhere.open()
        _ = try second.erase(.originalTransaction(id(Self.erased)))
        _ = try second.erase(.appTransaction(period(1, of: Self.downloaded).appTransactionID))
        try store.add(second.tombstones())
        let asked = [Self.erased, Self.other].map { ErasureSubject.originalTransaction(id($0)) }
        #expect(try store.entombed(Set(asked)) == [asked[0]])
        let report = try store.eraseEntombed()
        #expect(report.notificationCount == gone.count && report.transactionCount == gone.count - 1)
        #expect(try uuids(store) == Set(kept.map(\.uuid)))
        // Whose rows are deleted has no whole history.
        #expect(try store.synchronizations().rows.map(\.originalTransactionID) == [id(Self.other)])
        // What is kept is what the store would take.
        #expect(
            store.store(gone + kept).map { $0 == .tombstoned } == gone.map { _ in true }
                + kept.map { _ in false }
        )
        try mark([Self.successor], in: store)
        #expect(try store.eraseEntombed().rowCount == 0)
        #expect(try store.synchronizations().rows.count == 2)
    }

    @Test("leave the rows of a successor from after the erasure")
    func successor() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let items = [
            try sample.renewed(period(1, of: Self.erased)), try moved(Self.after),
            try sample.renewed(period(Self.after + 1, of: Self.successor)),
        ]
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let elsewhere = try TestStore(.sqlite)
        let second = try elsewhere.open()
        _ = try second.erase(.originalTransaction(id(Self.erased)))
        try store.add(second.tombstones())
        _ = try store.eraseEntombed()
        let ids = [id(Self.successor), id(Self.erased)]
        let rows = try store.subscribers(ids, app: Sample.app, environment: "Production").rows
        let own = try #require(rows[id(Self.successor)])
        #expect(rows.count == 1 && own.previousIDs == [id(Self.erased)])
    }

    @Test(
        "of a download delete its subscriptions, also rows that do not name the download, and keep them out")
    func download() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        func old(_ number: Int) throws -> StoreItem {
            let part = try sample.transaction(period(number, of: Self.downloaded)) {
                $0.appTransactionID = nil
            }
            return sample.item(part)
        }
        let gone = [try sample.renewed(period(4, of: Self.downloaded)), try old(5), try old(6)]
        let kept = try sample.renewed(period(7, of: Self.other))
        #expect(store.store(gone + [kept]).allSatisfy { $0 == .stored })
        try mark([Self.downloaded, Self.other], in: store)
        // The other store has no rows of the download.
        let elsewhere = try TestStore(.sqlite)
        let second = try elsewhere.open()
        _ = try second.erase(.appTransaction(period(4, of: Self.downloaded).appTransactionID))
        try store.add(second.tombstones())
        let report = try store.eraseEntombed()
        #expect(report.transactionCount == 3 && report.erasedOriginalTransactionIDs == [id(Self.downloaded)])
        #expect(report.linkedOriginalTransactionIDs.isEmpty && report.linkedAppTransactionIDs.isEmpty)
        #expect(try store.everyJWS() == [kept.jws] && store.everyJWS(.transaction).count == 1)
        #expect(try store.synchronizations().rows.map(\.originalTransactionID) == [id(Self.other)])
        #expect(store.store(gone + [try old(8)]).allSatisfy { $0 == .tombstoned })
        #expect(try store.eraseEntombed().rowCount == 0)
    }
}
