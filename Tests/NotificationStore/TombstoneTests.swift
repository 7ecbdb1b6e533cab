import NotificationStore
import Support
import Testing

@Suite("A tombstone")
struct TombstoneTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// The subscriber who is erased, and the identifier under which a subscription goes on.
    private static let erased = 77_001
    private static let successor = 77_002

    /// Numbers of periods that Apple signs before and after the moment of the erasure.
    private static let (before, after) = (10, 2000)

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    /// A transaction of the successor that names the subscription before the move.
    private func moved(_ number: Int) throws -> StoredPart<TransactionColumns> {
        try sample.transaction(period(number, of: Self.successor)) {
            $0.previousOriginalTransactionID = period(1, of: Self.erased).originalTransactionID
        }
    }

    /// A notification with that transaction.
    private func notification(_ number: Int) throws -> StoreItem {
        let transaction = try moved(number)
        var notification = try sample.outer(
            period(number, of: Self.successor), type: "DID_RENEW", member: "data",
            content: #""signedTransactionInfo":"\#(String(decoding: transaction.jws, as: UTF8.self))""#)
        notification.transaction = sample.nested(transaction, in: notification)
        return sample.item(notification)
    }

    /// The transaction as Apple's server returns it when somebody asks.
    private func answer(_ number: Int) throws -> StoreItem {
        try sample.item(moved(number))
    }

    @Test(
        "keeps out of a subscription that goes on what happened before the erasure, and nothing later")
    func successor() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let id = period(1, of: Self.erased).originalTransactionID
        #expect(store.store([try notification(Self.before)]) == [.stored])
        #expect(try store.erase(.originalTransaction(id)).notificationCount == 1)
        #expect(
            store.store([
                try notification(Self.before), try notification(Self.before + 1), try answer(Self.before + 2),
                try notification(Self.after), try answer(Self.after + 1),
            ]) == [.tombstoned, .tombstoned, .tombstoned, .stored, .stored]
        )
        // The erased subscription itself stays out for ever.
        #expect(store.store([try sample.renewed(period(Self.after, of: Self.erased))]) == [.tombstoned])
        // Nothing but the identifier of the erased one leads to the successor.
        let other = try sample.renewed(period(Self.before + 3, of: Self.successor))
        #expect(store.store([other]) == [.stored])
    }

    @Test("moves on in time when the same subscription is erased again")
    func again() throws {
        let place = try TestStore(.sqlite)
        let id = period(1, of: Self.erased).originalTransactionID
        _ = try place.open().erase(.originalTransaction(id))
        let item = try notification(Self.after)
        #expect(try place.open().store([item]) == [.stored])
        let later = try place.open(now: TestStore.now + 10_000_000)
        let report = try later.erase(.originalTransaction(id))
        #expect(report.notificationCount == 1 && report.transactionCount == 1)
        #expect(later.store([item]) == [.tombstoned])
        // An older tombstone that is taken over does not move the time back.
        let second = try TestStore(.sqlite)
        let other = try second.open()
        _ = try other.erase(.originalTransaction(id))
        try later.add(other.tombstones())
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
        (#"{"originalTransactionId":"","productId":"ID"}"#, false),
        (#"{"originalTransactionId":["ID"],"productId":"pro"}"#, false),
        (#"{"originalTransactionId" "ID", "productId":"pro"}"#, false),
        (#"{"appTransactionId":"ID","originalTransactionId":"9"}"#, false),
        (#"{"appTransactionId":"APP","originalTransactionId":"9"}"#, true),
    ]

    @Test(
        "keeps a subscriber out whom only parts name that failed their check",
        arguments: ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]
    )
    func faulty(member: String) throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let gone = period(1, of: Self.erased)
        _ = try store.erase(.originalTransaction(gone.originalTransactionID))
        _ = try store.erase(.appTransaction(gone.appTransactionID))
        for (number, row) in Self.faultyParts.enumerated() {
            let payload = row.payload.replacing("ID0", with: gone.originalTransactionID + "0")
                .replacing("\"ID\"", with: "\"\(gone.originalTransactionID)\"")
                .replacing(":ID}", with: ":\(gone.originalTransactionID)}")
                .replacing("APP", with: gone.appTransactionID)
            let jws = String(decoding: try sample.signer.token(Array(payload.utf8)), as: UTF8.self)
            var notification = try sample.outer(
                period(number + 1, of: Self.erased), type: "DID_RENEW",
                member: member == "signedAppTransactionInfo" ? "appData" : "data",
                content: #""\#(member)":"\#(jws)""#)
            switch member {
            case "signedTransactionInfo": notification.transaction = .faulty(code: "signature-invalid")
            case "signedRenewalInfo": notification.renewal = .faulty(code: "signature-invalid")
            default: notification.appTransaction = .faulty(code: "signature-invalid")
            }
            let outcome = store.store([sample.item(notification)])
            #expect(outcome == [row.isKeptOut ? .tombstoned : .stored], "\(row.payload)")
        }
    }
}
