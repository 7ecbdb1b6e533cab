import NotificationStore
import SQL
import Support
import Testing

@Suite("Erasing a subscriber")
struct ErasingTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    private static let erased = 77_001
    private static let other = 77_002

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    private func items(_ count: Int) throws -> [StoreItem] {
        try (1...count).map { try sample.renewed(period($0, of: $0 % 2 == 0 ? Self.erased : Self.other)) }
    }

    @Test(
        "deletes every row of the subscriber and of nobody else, and keeps everything out that comes again",
        arguments: StoreSystem.allCases
    )
    func erasing(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let items = try items(40)
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let last = period(2, of: Self.erased)
        let download = try sample.item(sample.appTransaction(last))
        #expect(store.store([download]) == [.stored])
        let report = try store.erase(.originalTransaction(last.originalTransactionID))
        #expect(report.notificationCount == 20 && report.transactionCount == 20 && report.renewalCount == 20)
        #expect(
            report.linkedAppTransactionIDs == [last.appTransactionID]
                && report.linkedOriginalTransactionIDs.isEmpty
        )
        let stay = items.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        #expect(try store.everyJWS() == stay.map(\.jws))
        #expect(try store.everyJWS(.transaction).count == 20)
        // A retry of Apple, its history, an import and the API.
        let again = try place.open()
        #expect(
            again.store(Array(items.prefix(4))) == [.alreadyThere, .tombstoned, .alreadyThere, .tombstoned]
        )
        let new = try sample.renewed(period(1000, of: Self.erased), source: .import)
        let part = try sample.transaction(period(1001, of: Self.erased))
        let renewal = try sample.renewal(period(1002, of: Self.erased))
        let outcomes = again.store([
            new,
            sample.item(part),
            sample.item(renewal),
            try sample.renewed(period(1003, of: Self.other)),
        ])
        #expect(outcomes == [.tombstoned, .tombstoned, .tombstoned, .stored])
        // The download may belong to other subscriptions of the same person, so it is erased by its own identifier.
        let more = try store.erase(.appTransaction(last.appTransactionID))
        #expect(more.appTransactionCount == 1 && more.rowCount == 1)
        #expect(store.store([download]) == [.tombstoned])
        #expect(try store.erase(.originalTransaction(last.originalTransactionID)).rowCount == 0)
        #expect(try store.statistics().tombstoneCount == 2)
    }

    @Test("finds a subscription under the identifier that it had before")
    func previousIdentifier() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let old = period(1, of: Self.erased)
        let new = period(2, of: Self.other)
        let item = try sample.moved(new, from: old.originalTransactionID, type: "MIGRATION")
        let later = try sample.renewed(period(4, of: Self.other))
        #expect(store.store([try sample.renewed(old), item, later]) == [.stored, .stored, .stored])
        let report = try store.erase(.originalTransaction(old.originalTransactionID))
        #expect(report.notificationCount == 2 && report.transactionCount == 2 && report.renewalCount == 1)
        #expect(report.linkedOriginalTransactionIDs == [new.originalTransactionID])
        #expect(store.store([item, later]) == [.tombstoned, .alreadyThere])
        #expect(try store.everyJWS() == [later.jws])
    }

    private func notification(_ number: Int, _ content: String) throws -> StoreItem {
        let outer = try sample.outer(
            period(number, of: Self.other), type: "EXTERNAL_PURCHASE_TOKEN", member: "externalPurchaseToken",
            content: content)
        return sample.item(outer)
    }

    @Test(
        "takes along a notification without a known subscription that has the identifier as a whole value, and no other",
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
        "takes along every subscription of a download, also those of its rows that do not name the download")
    func download() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let gone = period(2, of: Self.erased)
        let old = try (10...12).map { number in
            sample.item(try sample.transaction(period(number, of: Self.erased)) { $0.appTransactionID = nil })
        }
        let kept = try sample.renewed(period(3, of: Self.other))
        #expect(store.store(old + [try sample.renewed(gone), kept]).allSatisfy { $0 == .stored })
        let report = try store.erase(.appTransaction(gone.appTransactionID))
        #expect(report.transactionCount == 4 && report.notificationCount == 1 && report.renewalCount == 1)
        #expect(report.erasedOriginalTransactionIDs == [gone.originalTransactionID])
        #expect(try store.everyJWS() == [kept.jws] && store.everyJWS(.transaction).count == 1)
        let again = try sample.transaction(period(13, of: Self.erased)) { $0.appTransactionID = nil }
        #expect(store.store(old + [sample.item(again)]).allSatisfy { $0 == .tombstoned })
    }

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

    enum Way: CaseIterable { case renewal, transaction, download, entombed }

    @Test(
        "takes along a notification with any part of the subscriber, and what is left can be rebuilt",
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
            try store.entomb(.originalTransaction(erased.originalTransactionID))
            _ = try store.eraseEntombed()
        }
        #expect(try store.everyJWS() == [kept.jws])
        #expect(try store.everyJWS(.transaction).count == (way == .transaction ? 1 : 2))
        #expect(try store.everyJWS(.renewal).count == (way == .transaction ? 2 : 1))
    }

    @Test("refuses identifiers that nobody can have")
    func arguments() throws {
        let store = try TestStore(.sqlite).open()
        for id in ["", String(repeating: "1", count: 513), "1\u{0}2"] {
            #expect(throws: NotificationStoreError.badArgument) { try store.erase(.originalTransaction(id)) }
        }
    }
}
