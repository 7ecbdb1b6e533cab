import AppStoreSimulator
import Cryptography
import SignedPayloads
import Support
import System
import Testing

@Suite("A sound notification")
struct NotificationTests {
    @Test("of every documented type and subtype is accepted with all its parts", arguments: kinds)
    func documented(kind: String, subtype: String?) throws {
        let forge = try NotificationZooTests.forge.get()
        let payload = try forge.notification(kind, subtype)
        let verified = try Self.verify(payload, forge)
        let content = verified.payload.content
        #expect(content.notificationType.rawValue == kind)
        #expect(content.subtype?.rawValue == subtype)
        #expect(content.unusableMembers.isEmpty)
        #expect(content.version == "2.0" && content.signedDate == forge.now - 1000)
        #expect(content.notificationUUID == "3db5c98d-8acf-4e29-831e-000000000001")
        #expect(verified.payload.failedParts.isEmpty)
        #expect(verified.payload.owner.appAppleId == TestPayload.appAppleId)
        #expect((verified.payload.transaction?.content == nil) == (payload.transaction == nil))
        #expect((verified.payload.renewalInfo?.content == nil) == (payload.renewalInfo == nil))
        #expect((verified.payload.appTransaction?.content == nil) == (payload.appTransaction == nil))
        let parts = [
            verified.payload.transaction?.content?.unusableMembers,
            verified.payload.renewalInfo?.content?.unusableMembers,
            verified.payload.appTransaction?.content?.unusableMembers,
        ]
        #expect(parts.allSatisfy { $0?.isEmpty ?? true })
        // In the sandbox, Apple sends no number of the app.
        var sandbox = forge.subscription
        sandbox.environment = "Sandbox"
        let other = try Self.verify(forge.notification(kind, subtype, of: sandbox), forge)
        #expect(other.payload.owner.environment == .sandbox)
        #expect(other.payload.failedParts.isEmpty)
    }

    private static let kinds = NotificationKind.documented.map { ($0.type, $0.subtype) }

    @Test("has a type and a subtype that this version knows, and every known one occurs")
    func known() {
        let types = Set(NotificationKind.documented.map(\.type))
        #expect(types == Set(NotificationType.known.map(\.rawValue)))
        #expect(types.count == 24 && NotificationType.known.count == 24)
        let subtypes = Set(NotificationKind.documented.compactMap(\.subtype))
        #expect(subtypes == Set(NotificationSubtype.known.map(\.rawValue)))
        #expect(subtypes.count == 22 && NotificationSubtype.known.count == 22)
        let names = NotificationKind.documented.map(\.description)
        #expect(Set(names).count == names.count)
    }

    @Test("becomes typed values")
    func typed() throws {
        let forge = try NotificationZooTests.forge.get()
        var sample = forge.subscription
        sample.period = 3
        sample.appAccountToken = UUID(high: 1, low: 2)
        let verified = try Self.verify(forge.notification("OFFER_REDEEMED", nil, of: sample), forge)
        let transaction = try #require(verified.payload.transaction?.content)
        #expect(transaction.originalTransactionId == "2000000001")
        #expect(transaction.transactionId == "2000000003")
        #expect(transaction.productId == "com.example.product")
        #expect(transaction.purchaseDate == forge.now - 5000)
        #expect(transaction.expiresDate == forge.now - 5000 + 30 * ZooForge.day)
        #expect(transaction.price == 9_990 && transaction.currency == "USD")
        #expect(transaction.offerType == 2 && transaction.offerIdentifier == "half_price")
        #expect(transaction.transactionReason == "RENEWAL" && transaction.quantity == 1)
        #expect(transaction.appAccountToken == "00000000-0000-0001-0000-000000000002")
        let renewal = try #require(verified.payload.renewalInfo?.content)
        #expect(renewal.autoRenewStatus == 1 && renewal.autoRenewProductId == "com.example.product")
        #expect(renewal.renewalDate == transaction.expiresDate && renewal.offerPeriod == "P1M")
        let data = verified.payload.content
        #expect(data.object == .data)
        #expect(data.status == 1 && data.bundleVersion == "42" && data.appAppleId == TestPayload.appAppleId)
        let seats = try Self.verify(forge.notification("REFUND", "SEATS"), forge)
        #expect(seats.payload.transaction?.content?.revokedSeatQuantity == 2)
        let commerce = try Self.verify(forge.notification("MIGRATION", nil), forge).payload
        #expect(commerce.transaction?.content?.advancedCommerceSKUs == ["com.example.sku"])
        #expect(commerce.renewalInfo?.content?.advancedCommerceSKUs == ["com.example.sku"])
        #expect(commerce.transaction?.content?.previousOriginalTransactionId == "2000000000")
        let info = try Self.verify(forge.notification("UNCLAIM_SEATS", nil), forge).payload.content
        #expect(info.object == .unclaimInfo)
    }

    @Test("is found in Apple's history without a body around it, however old")
    func compact() throws {
        let forge = try NotificationZooTests.forge.get()
        let compact = try SignedRequestBuilder(chain: forge.trusted.chain).compact(forge.notification())
        let verifier = try forge.verifier()
        // Half a year later, and after the certificates have expired.
        for later in [180, 2000] as [Int64] {
            let now = forge.now + later * ZooForge.day
            let verified = try verifier.verifyNotification(compact: compact.span, nowMilliseconds: now)
            #expect(verified.payload.failedParts.isEmpty)
            #expect(verified.payload.received.compact == compact)
        }
    }

    static func verify(_ payload: NotificationPayload, _ forge: ZooForge) throws -> VerifiedPayload<
        SignedNotification
    > {
        let body = try forge.body(payload)
        let verifier = try forge.verifier()
        return try verifier.verifyNotification(body: body.span, nowMilliseconds: forge.now)
    }
}
