import NotificationStore
import SQL
import Support
import Testing

@Suite("What an erasure takes along")
struct ErasureScopeTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// The subscriber who is erased, and one who stays.
    private static let (erased, other) = (77_001, 77_002)

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    private func item(_ part: StoredPart<TransactionColumns>) -> StoreItem {
        sample.item(part)
    }

    private func notification(_ number: Int, _ content: String) throws -> StoreItem {
        let outer = try sample.outer(
            period(number, of: Self.other), type: "EXTERNAL_PURCHASE_TOKEN", member: "externalPurchaseToken",
            content: content)
        return sample.item(outer)
    }

    @Test(
        "is a notification without a known subscription that has the identifier as a whole value, and no other",
        arguments: ["2", "2000000000000042"]
    )
    func wholeValues(id: String) throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let nested = #"{"signedDate":2,"x":["2"],"originalTransactionId" : "\#(id)"}"#
        let text = String(decoding: try sample.signer.token(Array(nested.utf8)), as: UTF8.self)
        let named = [
            try notification(1, #""originalTransactionId":"\#(id)""#),
            try notification(2, #""inner":{"originalTransactionId" : \#(id) }"#),
            try notification(3, #""signedSomething":"\#(text)""#),
        ]
        let kept = [
            try notification(4, #""originalTransactionId":"\#(id)0","transactionId":"1\#(id)""#),
            try notification(5, #""originalTransactionId":\#(id)1,"a":"-\#(id)","\#(id)":1"#),
            try notification(6, #""quantity":2,"bundleVersion":"2","list":["2",2],"text":"a \#(id) b""#),
            try sample.test(22),
        ]
        #expect(store.store(named + kept).allSatisfy { $0 == .stored })
        let plain = try notification(7, #""unknown":["\#(id)"]"#)
        #expect(store.store([plain]) == [.stored])
        let report = try store.erase(.originalTransaction(id))
        // Under any name only what nothing else can be.
        #expect(report.notificationCount == (id.count < 10 ? 3 : 4))
        let left = Set(try store.notifications().rows.map(\.uuid))
        #expect(left == Set((kept + (id.count < 10 ? [plain] : [])).map(\.uuid)))
        #expect(store.store(named).allSatisfy { $0 == .tombstoned })
    }

    @Test(
        "is every subscription of a download, also those of its rows that do not name the download")
    func download() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let gone = period(2, of: Self.erased)
        let old = try (10...12).map { number in
            item(try sample.transaction(period(number, of: Self.erased)) { $0.appTransactionID = nil })
        }
        let kept = try sample.renewed(period(3, of: Self.other))
        #expect(store.store(old + [try sample.renewed(gone), kept]).allSatisfy { $0 == .stored })
        let report = try store.erase(.appTransaction(gone.appTransactionID))
        #expect(report.transactionCount == 4 && report.notificationCount == 1 && report.renewalCount == 1)
        #expect(report.erasedOriginalTransactionIDs == [gone.originalTransactionID])
        #expect(try store.everyJWS() == [kept.jws] && store.everyJWS(.transaction).count == 1)
        let again = try sample.transaction(period(13, of: Self.erased)) { $0.appTransactionID = nil }
        #expect(store.store(old + [item(again)]).allSatisfy { $0 == .tombstoned })
    }

    /// A notification with a transaction of one subscriber and a renewal info of another.
    private func mixed(_ number: Int) throws -> StoreItem {
        let transaction = try sample.transaction(period(number, of: Self.other))
        let renewal = try sample.renewal(period(number, of: Self.erased))
        var outer = try sample.outer(
            period(number, of: Self.other),
            type: "DID_RENEW",
            member: "data",
            content: """
                "signedTransactionInfo":"\(String(decoding: transaction.jws, as: UTF8.self))",\
                "signedRenewalInfo":"\(String(decoding: renewal.jws, as: UTF8.self))"
                """
        )
        outer.transaction = sample.nested(transaction, in: outer)
        outer.renewal = sample.nested(renewal, in: outer)
        return sample.item(outer)
    }

    /// Ways to erase one of the two subscribers of a mixed notification.
    enum Way: CaseIterable { case renewal, transaction, download, entombed }

    @Test(
        "is a notification with any part of the subscriber, and what is left can be rebuilt",
        arguments: Way.allCases
    )
    func mixedParts(way: Way) throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let kept = try sample.renewed(period(5, of: 77_003))
        let mixed = try mixed(1)
        #expect(store.store([mixed, kept]) == [.stored, .stored])
        #expect(try store.everyJWS() == [mixed.jws, kept.jws])
        let erased = period(1, of: Self.erased)
        switch way {
        case .renewal: _ = try store.erase(.originalTransaction(erased.originalTransactionID))
        case .transaction:
            _ = try store.erase(.originalTransaction(period(1, of: Self.other).originalTransactionID))
        case .download: _ = try store.erase(.appTransaction(erased.appTransactionID))
        case .entombed:
            let other = try TestStore(.sqlite)
            let elsewhere = try other.open()
            _ = try elsewhere.erase(.originalTransaction(erased.originalTransactionID))
            try store.add(elsewhere.tombstones())
            _ = try store.eraseEntombed()
        }
        #expect(try store.everyJWS() == [kept.jws])
        #expect(try store.everyJWS(.transaction).count == (way == .transaction ? 1 : 2))
        #expect(try store.everyJWS(.renewal).count == (way == .transaction ? 2 : 1))
    }
}
