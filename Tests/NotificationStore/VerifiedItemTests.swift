import AppStoreSimulator
@testable import NotificationStore
import SignedPayloads
import SQL
import Support
import System
import Testing

@Suite("Verified payloads as items")
struct VerifiedItemTests {
    private static let forge = Result { try ZooForge(now: TestPKI.now) }

    private static func stored(_ body: [UInt8]) throws -> StoredNotification {
        let forge = try forge.get()
        let verified = try forge.verifier().verifyNotification(body: body.span, nowMilliseconds: forge.now)
        let item = StoreItem(verified, source: .push, receivedAt: forge.now)
        guard case .notification(let notification) = item.content else { throw NoNotification() }
        #expect(item.source == .push && item.receivedAt == forge.now)
        #expect(notification.jws == verified.payload.received.compact)
        return notification
    }

    private struct NoNotification: Error {}

    @Test(
        "have app, environment, UUID and object of every documented kind",
        arguments: NotificationKind.documented.map { ($0.type, $0.subtype) }
    )
    func documented(type: String, subtype: String?) throws {
        let forge = try Self.forge.get()
        let payload = try forge.notification(type, subtype)
        let notification = try Self.stored(forge.body(payload))
        #expect(
            notification.identity
                == .init(
                    app: TestPayload.bundleId, environment: "Production",
                    uuid: "3db5c98d-8acf-4e29-831e-000000000001")
        )
        let columns = notification.columns
        #expect(columns.type == type && columns.subtype == subtype && columns.version == "2.0")
        #expect(columns.signedAt == forge.now - 1000 && columns.appAppleID == TestPayload.appAppleId)
        #expect(columns.object == payload.objectName)
        #expect(notification.unfit.isEmpty)
        let (transaction, renewal) = (notification.transaction?.columns, notification.renewal?.columns)
        #expect((transaction == nil) == (payload.transaction == nil))
        #expect((renewal == nil) == (payload.renewalInfo == nil))
        let download = notification.appTransaction?.columns
        #expect((download == nil) == (payload.appTransaction == nil))
        if let transaction {
            #expect(transaction.originalTransactionID == "2000000001" && transaction.purchasedAt != nil)
            #expect(notification.completedColumns.originalTransactionID == "2000000001")
        }
        if let renewal { #expect(renewal.renewsAt != nil && renewal.originalTransactionID == "2000000001") }
        if let download { #expect(download.appTransactionID == "2700000001") }
    }

    @Test("name the fault of a part that failed, and take nothing from it")
    func faulty() throws {
        let forge = try Self.forge.get()
        let foreign = try forge.part(forge.subscription.transaction(signedDate: forge.now), by: forge.foreign)
        let notification = try Self.stored(
            forge.notification { payload in
                payload.objectOverrides = [
                    ("signedTransactionInfo", "\"\(foreign)\""), ("signedRenewalInfo", "5"),
                ]
            }
        )
        guard case .faulty("anchor-unknown")? = notification.transaction,
            case .faulty("payload-member-mistyped")? = notification.renewal
        else {
            Issue.record("\(String(describing: notification.transaction))")
            return
        }
        #expect(notification.completedColumns.originalTransactionID == nil)
    }

    @Test("name the columns of unusable members of the parts, and each column has its member")
    func unfitParts() throws {
        let forge = try Self.forge.get()
        let nested = [
            "billingPeriodNumber": "commitmentInfo", "totalBillingPeriods": "commitmentInfo",
            "items": "advancedCommerceInfo", "revokedSeatQuantity": "multiSeatInfo",
        ]
        func json(_ member: String) -> (String, String) {
            nested[member].map { ($0, "{\"\(member)\":true}") } ?? (member, "[]")
        }
        for (member, columns) in TransactionColumns.members {
            let part = try Self.stored(
                forge.notification { payload in
                    let (name, json) = json(member)
                    payload.transaction?.set(name, json: json)
                }
            ).transaction
            guard case .sound(let sound)? = part else {
                Issue.record("\(member)")
                continue
            }
            #expect(sound.unfit == Set(columns), "\(member)")
        }
        for (member, columns) in RenewalColumns.members {
            let part = try Self.stored(
                forge.notification { payload in
                    let (name, json) = json(member)
                    payload.renewalInfo?.set(name, json: json)
                }
            ).renewal
            guard case .sound(let sound)? = part else {
                Issue.record("\(member)")
                continue
            }
            #expect(sound.unfit == Set(columns), "\(member)")
        }
        // It has no column, and is read from the payload where a subscription may have seats.
        Self.hasMembers(TransactionColumns.self, beside: ["revoked_seat_quantity"])
        Self.hasMembers(RenewalColumns.self)
        Self.hasMembers(AppTransactionColumns.self)
    }

    @Test("of a transaction have a value in each column whose member has one")
    func everyColumn() throws {
        let forge = try Self.forge.get()
        let values = [
            "1", #""a""#, "true", #"{"billingPeriodNumber":1,"totalBillingPeriods":1}"#,
            #"{"items":[{"SKU":"a"}]}"#,
        ]
        var filled: Set<String> = []
        for json in values {
            let part = try Self.stored(
                forge.notification { payload in
                    // The certificates hold at the time of signing.
                    for member in TransactionColumns.members.keys where member != "signedDate" {
                        payload.transaction?.set(member, json: json)
                    }
                }
            ).transaction
            guard case .sound(let sound)? = part else { throw NoNotification() }
            var unfit: Set<String> = []
            let columns = zip(TransactionColumns.names, sound.columns.values(after: [], marking: &unfit))
            filled.formUnion(columns.filter { $0.1 != .null }.map(\.0.description))
        }
        #expect(filled == Set(TransactionColumns.names.map(\.description)))
    }

    private static func hasMembers<Columns: TableColumns>(
        _ type: Columns.Type, beside others: Set<String> = []
    ) {
        let columns = others.union(Columns.names.map(\.description))
        #expect(Set(Columns.members.values.joined()) == columns, "\(type)")
    }

    @Test(
        "of every row of the zoo that is accepted are stored and given back")
    func zoo() throws {
        let forge = try Self.forge.get()
        let place = try TestStore(.sqlite)
        let store = try place.open()
        var bodies: Set<[UInt8]> = []
        for row in NotificationZoo.rows where row.code == nil {
            let body = try row.body(forge)
            let verified = try forge.verifier().verifyNotification(
                body: body.span, nowMilliseconds: forge.now)
            let item = StoreItem(verified, source: .push, receivedAt: forge.now)
            let outcome = try #require(store.store([item]).first)
            #expect(outcome == .stored || outcome == .alreadyThere, "\(row.name): \(outcome)")
            if outcome == .stored { bodies.insert(item.jws) }
        }
        #expect(bodies.count > 3)
        #expect(Set(try store.everyJWS()) == bodies)
        #expect(try store.check().isEmpty)
    }

    @Test("that did not come in a notification belong to their owner")
    func parts() throws {
        let forge = try Self.forge.get()
        let verifier = try forge.verifier()
        let owner = try verifier.owner(appAppleId: TestPayload.appAppleId, environment: .production)
        let (sample, now) = (forge.subscription, forge.now)
        let transaction = Array(try forge.part(sample.transaction(signedDate: now)).utf8)
        let renewal = Array(try forge.part(sample.renewalInfo(signedDate: now)).utf8)
        let download = Array(try forge.part(sample.appTransaction(signedDate: now)).utf8)
        let items = [
            StoreItem(
                try verifier.verifyTransaction(compact: transaction.span, of: owner, nowMilliseconds: now),
                of: owner, source: .api, receivedAt: 1),
            StoreItem(
                try verifier.verifyRenewalInfo(compact: renewal.span, of: owner, nowMilliseconds: now),
                of: owner, source: .api, receivedAt: 2),
            StoreItem(
                try verifier.verifyAppTransaction(compact: download.span, of: owner, nowMilliseconds: now),
                of: owner, source: .api, receivedAt: 3),
        ]
        let place = try TestStore(.sqlite)
        let store = try place.open()
        #expect(store.store(items) == [.stored, .stored, .stored])
        #expect(try store.everyJWS(.transaction) == [transaction])
        #expect(try store.everyJWS(.renewal) == [renewal])
        #expect(try store.everyJWS(.appTransaction) == [download])
        #expect(try place.number("SELECT COUNT(*) FROM notifications") == 0)
    }
}
