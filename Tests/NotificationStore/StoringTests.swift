import NotificationStore
import SignedPayloads
import SQL
import Support
import Testing

@Suite("Storing")
struct StoringTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    @Test(
        "keeps what it reports as stored, and gives back every JWS byte for byte",
        arguments: StoreSystem.allCases
    )
    func storing(system: StoreSystem) throws {
        let place = try TestStore(system)
        var items: [StoreItem] = []
        for number in 1...40 {
            items.append(try sample.renewed(Sample.Period(number: number, subscriber: number % 3)))
        }
        items.append(try sample.test(50))
        let period = Sample.Period(number: 60)
        items.append(
            try sample.item(sample.transaction(period))
        )
        items.append(
            try sample.item(sample.renewal(period))
        )
        let download = try sample.appTransaction(period)
        items.append(
            sample.item(download)
        )
        let outcomes = try place.open().store(items)
        #expect(outcomes.allSatisfy { $0 == .stored }, "\(outcomes)")
        let store = try place.open(.read)
        #expect(try store.everyJWS() == items.prefix(41).map(\.jws))
        #expect(try store.everyJWS(.transaction).count == 41 && store.everyJWS(.renewal).count == 41)
        #expect(try store.everyJWS(.appTransaction) == [download.jws])
        #expect(try place.number("SELECT COUNT(*) FROM headers") == 1)
        #expect(try place.number("SELECT COUNT(*) FROM notifications WHERE raw IS NOT NULL") == 0)
    }

    @Test("stores a notification once, whoever sends it how often", arguments: StoreSystem.allCases)
    func duplicates(system: StoreSystem) throws {
        let place = try TestStore(system)
        let item = try sample.renewed(Sample.Period(number: 1))
        // Apple signs a notification that it sends again anew, so only its identity is the same.
        let again = try sample.renewed(Sample.Period(number: 1), source: .history)
        let other = try sample.renewed(Sample.Period(number: 2))
        let store = try place.open()
        #expect(store.store([item, again, other]) == [.stored, .alreadyThere, .stored])
        #expect(try place.open().store([again, item]) == [.alreadyThere, .alreadyThere])
        #expect(try store.everyJWS() == [item.jws, other.jws])
        #expect(try place.number("SELECT COUNT(*) FROM transactions") == 2)
        let sandbox = try sample.outer(
            Sample.Period(number: 1), type: "TEST", member: "data", content: "",
            identity: .init(app: Sample.app, environment: "Sandbox", uuid: item.uuid))
        #expect(store.store([sample.item(sandbox)]) == [.stored])
        #expect(store.store([]).isEmpty)
    }

    @Test("does not let a row that the database refuses hold up the others", arguments: StoreSystem.allCases)
    func poison(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        try place.refuse(type: "POISON")
        var items: [StoreItem] = []
        for number in 0..<33 {
            let type = [5, 6, 31].contains(number) ? "POISON" : "DID_RENEW"
            items.append(try sample.renewed(Sample.Period(number: number), type: type))
        }
        let outcomes = store.store(items)
        for (number, outcome) in outcomes.enumerated() {
            if [5, 6, 31].contains(number) {
                guard case .notStored(let error) = outcome else {
                    Issue.record("\(number) is \(outcome)")
                    continue
                }
                #expect(error.retry == .never && error.code == "sql.constraint")
            } else {
                #expect(outcome == .stored)
            }
        }
        #expect(try store.everyJWS().count == 30)
        #expect(try place.number("SELECT COUNT(*) FROM transactions") == 30)
    }

    @Test("makes a value that does not fit NULL, and says so", arguments: StoreSystem.allCases)
    func unfit(system: StoreSystem) throws {
        let place = try TestStore(system)
        let period = Sample.Period(number: 1)
        let long = String(repeating: "x", count: 513)
        var notification = try sample.outer(
            period, type: "T", member: "data", content: "",
            identity: .init(app: Sample.app, environment: "Production", uuid: long), unfit: ["status"]
        ) {
            $0.subtype = "a\u{0}b"
            $0.bundleVersion = long
            $0.status = nil
            $0.consumptionRequestReason = String(repeating: "é", count: 256)
        }
        notification.transaction = try sample.nested(
            sample.transaction(period) { $0.productID = long }, in: notification)
        let store = try place.open()
        let item = StoreItem(.notification(notification), source: .push, receivedAt: 7)
        #expect(store.store([item, item]) == [.stored, .alreadyThere])
        let row = try #require(try store.notifications().rows.first)
        #expect(row.unfit == ["subtype", "bundle_version", "status", "uuid", "product_id"])
        #expect(
            row.columns.subtype == nil && row.columns.bundleVersion == nil && row.columns.productID == nil
        )
        #expect(row.columns.consumptionRequestReason?.utf8.count == 512)
        #expect(row.uuid.hasPrefix("sha256:") && row.columns.type == "T" && row.receivedAt == 7)
        let id = period.originalTransactionID
        let transaction = try #require(try store.subscriber(id)?.transactions.first)
        #expect(transaction.unfit == ["product_id"] && transaction.columns.productID == nil)
        #expect(try store.everyJWS() == [notification.jws])
    }

    @Test(
        "keeps a nested part that failed its check inside of the payload alone")
    func faultyPart() throws {
        let place = try TestStore(.sqlite)
        let period = Sample.Period(number: 1)
        let renewal = try sample.renewal(period)
        let text = String(decoding: renewal.jws, as: UTF8.self)
        var notification = try sample.outer(
            period, type: "DID_RENEW", member: "data",
            content: #""signedTransactionInfo":"not.a.jws","signedRenewalInfo":"\#(text)""#)
        notification.transaction = .faulty(code: "jws-bad-base64url")
        notification.renewal = sample.nested(renewal, in: notification)
        let store = try place.open()
        #expect(
            store.store([sample.item(notification)]) == [.stored]
        )
        let row = try #require(try store.notifications().rows.first)
        #expect(row.faults == ["transaction": "jws-bad-base64url"])
        #expect(row.columns.originalTransactionID == period.originalTransactionID)
        #expect(try store.everyJWS(.transaction).isEmpty)
        #expect(try store.everyJWS() == [notification.jws] && store.everyJWS(.renewal) == [renewal.jws])
        #expect(try store.statistics().faultCount == 1)
    }

    @Test("refuses a JWS that is too long, and stores the others")
    func tooLarge() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let notification = StoredNotification(
            proof: sample.proof,
            ReceivedJWS(header: [], payload: .init(repeating: 65, count: 1 << 20), signature: []),
            identity: .init(app: "a", environment: "b", uuid: "c"), columns: NotificationColumns())
        let outcomes = store.store([
            sample.item(notification), try sample.test(1),
        ])
        #expect(outcomes.last == .stored)
        #expect(outcomes.first == .notStored(.tooLarge(byteCount: 1 << 20)))
    }

    @Test("reads the refunded seats of a transaction from its payload")
    func revokedSeats() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let rows: [(quantity: Int64?, info: String, count: Int64?)] = [
            (5, #"{"revokedSeatQuantity":2,"invitationManagement":"APPLE"}"#, 2),
            (nil, #"{"revokedSeatQuantity":2}"#, 2), (5, #"{"revokedSeatQuantity":0}"#, 0),
            (5, "{}", nil), (5, #"{"revokedSeatQuantity":"2"}"#, nil), (5, "7", nil),
            (5, #"{"revokedSeatQuantity":99999999999}"#, -1),
        ]
        for (number, row) in rows.enumerated() {
            let period = Sample.Period(number: number)
            let columns = try sample.transaction(period) { $0.quantity = row.quantity }.columns
            let payload = #"{"signedDate":\#(period.signedAt),"multiSeatInfo":\#(row.info)}"#
            let part = StoredPart(proof: sample.proof, try sample.received(payload), columns: columns)
            let item = sample.item(part)
            #expect(store.store([item]) == [.stored])
            let found = try store.subscriber(period.originalTransactionID)?.transactions ?? []
            #expect(
                found.first { $0.columns.transactionID == period.transactionID }?.columns.revokedSeatQuantity
                    == row.count,
                "\(row.info)"
            )
        }
    }
}

extension TestStore {
    func refuse(type: String) throws {
        let connection = try connect()
        switch system {
        case .sqlite:
            try connection.run("CREATE TABLE refused (type TEXT)")
            try connection.run("INSERT INTO refused VALUES (?)", [.text(type)])
            try connection.run(
                """
                CREATE TRIGGER refusing BEFORE INSERT ON notifications WHEN NEW.type IN (SELECT type FROM refused)
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """
            )
        case .postgreSQL:
            try connection.run(
                """
                CREATE FUNCTION refusing() RETURNS TRIGGER LANGUAGE plpgsql AS
                'BEGIN IF NEW.type = ''POISON'' THEN RAISE EXCEPTION ''refused''; END IF; RETURN NEW; END'
                """
            )
            try connection.run(
                "CREATE TRIGGER refusing BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION refusing()"
            )
        }
    }
}
