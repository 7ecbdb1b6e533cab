import AppStoreSimulator
import NotificationStore
import SignedPayloads
import Support
import System

/// Signed notifications of an invented subscriber, as Apple sends them, and the items that the recorder makes of them.
struct Sample: Sendable {
    static let app = "com.example.app"
    static let received: Int64 = TestPKI.now

    let signer: TestSigner
    let proof: StoreProof

    init() throws {
        signer = try TestSigner(TestPKI.chain())
        proof = try Self.sound.get()
    }

    /// The proof of a payload that a verifier has verified. Its content does not matter to the store.
    private static let sound = Result {
        let verifier = try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: [try TestPKI.anchor()],
                apps: [
                    AppIdentity(appAppleId: SignedBody.appAppleId, bundleId: app, environments: [.sandbox])
                ]
            )
        )
        let body = try SignedBody.make()
        return StoreProof(try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now))
    }

    struct Period: Sendable {
        let number: Int
        var subscriber = 1

        var originalTransactionID: String { "20000000\(100_000 + subscriber)" }
        var transactionID: String { "20000001\(100_000 + number)" }
        var appTransactionID: String { "70400000\(100_000 + subscriber)" }
        var uuid: String {
            let digits = String(number, radix: 16)
            return "5f2a1c3e-0d4b-4c6f-9a7e-" + String(repeating: "0", count: 12 - digits.count) + digits
        }
        var signedAt: Int64 { TestPKI.now + Int64(number) * 1000 }
    }

    /// A signed payload, taken apart as the verifier does.
    func received(_ payload: String) throws -> ReceivedJWS {
        try ReceivedJWS(compact: signer.token(Array(payload.utf8)))
    }

    func item(_ notification: StoredNotification) -> StoreItem {
        StoreItem(.notification(notification), source: .push, receivedAt: 1)
    }

    func item(_ part: StoredPart<TransactionColumns>) -> StoreItem {
        StoreItem(.transaction(part, app: Self.app, environment: "Production"), source: .api, receivedAt: 1)
    }

    func item(_ part: StoredPart<RenewalColumns>) -> StoreItem {
        StoreItem(.renewal(part, app: Self.app, environment: "Production"), source: .api, receivedAt: 1)
    }

    func item(_ part: StoredPart<AppTransactionColumns>) -> StoreItem {
        StoreItem(
            .appTransaction(part, app: Self.app, environment: "Production"), source: .api, receivedAt: 1)
    }

    func nested<Columns>(_ part: StoredPart<Columns>, in notification: StoredNotification) -> NestedPart<
        Columns
    > {
        let place = ReceivedJWS(compact: notification.jws).payload.firstRange(of: part.jws)
        return .sound(
            StoredPart(
                proof: proof, ReceivedJWS(compact: part.jws), place: place, columns: part.columns,
                unfit: part.unfit))
    }

    func transaction(
        _ period: Period,
        _ change: (inout TransactionColumns) -> Void = { _ in }
    ) throws -> StoredPart<TransactionColumns> {
        var columns = TransactionColumns()
        columns.signedAt = period.signedAt
        columns.originalTransactionID = period.originalTransactionID
        columns.transactionID = period.transactionID
        columns.appTransactionID = period.appTransactionID
        columns.productID = "pro_monthly"
        columns.subscriptionGroupID = "21012345"
        columns.type = "Auto-Renewable Subscription"
        columns.ownership = "PURCHASED"
        columns.purchasedAt = period.signedAt - 5000
        columns.expiresAt = period.signedAt + 2_592_000_000
        columns.quantity = 1
        columns.reason = "RENEWAL"
        columns.isUpgraded = false
        columns.price = 9990
        columns.currency = "USD"
        columns.storefront = "USA"
        change(&columns)
        let payload = """
            {"transactionId":"\(columns.transactionID ?? "")","originalTransactionId":"\(columns.originalTransactionID ?? "")",\
            "webOrderLineItemId":"20000003\(period.number)","bundleId":"\(Self.app)","productId":"pro_monthly",\
            "subscriptionGroupIdentifier":"21012345","purchaseDate":\(period.signedAt - 5000),\
            "originalPurchaseDate":1735689600000,"expiresDate":\(period.signedAt + 2_592_000_000),"quantity":1,\
            "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":\(period.signedAt),\
            "environment":"Production","transactionReason":"RENEWAL","storefront":"USA","storefrontId":"143441",\
            "price":9990,"currency":"USD","appTransactionId":"\(columns.appTransactionID ?? "")",\
            "previousOriginalTransactionId":"\(columns.previousOriginalTransactionID ?? "")"}
            """
        return StoredPart(proof: proof, try received(payload), columns: columns)
    }

    func renewal(_ period: Period, currency: String = "USD") throws -> StoredPart<RenewalColumns> {
        var columns = RenewalColumns()
        columns.signedAt = period.signedAt
        columns.originalTransactionID = period.originalTransactionID
        columns.appTransactionID = period.appTransactionID
        columns.productID = "pro_monthly"
        columns.renewalProductID = "pro_monthly"
        columns.autoRenewStatus = 1
        columns.renewsAt = period.signedAt + 2_592_000_000
        columns.renewalPrice = 9990
        columns.currency = currency
        columns.isInBillingRetry = false
        let payload = """
            {"originalTransactionId":"\(period.originalTransactionID)","autoRenewProductId":"pro_monthly",\
            "productId":"pro_monthly","autoRenewStatus":1,"renewalPrice":9990,"currency":"\(currency)",\
            "signedDate":\(period.signedAt),"environment":"Production","recentSubscriptionStartDate":1735689600000,\
            "renewalDate":\(period.signedAt + 2_592_000_000),"appTransactionId":"\(period.appTransactionID)"}
            """
        return StoredPart(proof: proof, try received(payload), columns: columns)
    }

    func appTransaction(_ period: Period) throws -> StoredPart<AppTransactionColumns> {
        var columns = AppTransactionColumns()
        columns.signedAt = period.signedAt
        columns.appTransactionID = period.appTransactionID
        columns.appAppleID = 531_412
        columns.originalPlatform = "iOS"
        let payload = """
            {"receiptType":"Production","appAppleId":531412,"bundleId":"\(Self.app)","appTransactionId":\
            "\(period.appTransactionID)","receiptCreationDate":\(period.signedAt),"originalPlatform":"iOS"}
            """
        return StoredPart(proof: proof, try received(payload), columns: columns)
    }

    func renewed(
        _ period: Period, type: String = "DID_RENEW", source: StoreSource = .push, currency: String = "USD"
    ) throws -> StoreItem {
        let transaction = try transaction(period)
        let renewal = try renewal(period, currency: currency)
        var notification = try outer(
            period,
            type: type,
            member: "data",
            content: """
                "signedTransactionInfo":"\(String(decoding: transaction.jws, as: UTF8.self))",\
                "signedRenewalInfo":"\(String(decoding: renewal.jws, as: UTF8.self))","status":1
                """
        )
        notification.transaction = nested(transaction, in: notification)
        notification.renewal = nested(renewal, in: notification)
        return StoreItem(
            .notification(notification), source: source, receivedAt: Self.received + Int64(period.number))
    }

    func outer(
        _ period: Period,
        type: String,
        member: String,
        content: String,
        identity: StoredNotification.Identity? = nil,
        unfit: Set<String> = [],
        _ change: (inout NotificationColumns) -> Void = { _ in }
    ) throws -> StoredNotification {
        var columns = NotificationColumns()
        columns.type = type
        columns.version = "2.0"
        columns.signedAt = period.signedAt
        columns.object = member
        columns.appAppleID = 531_412
        columns.status = 1
        change(&columns)
        let payload = """
            {"notificationType":"\(type)","notificationUUID":"\(period.uuid)","version":"2.0",\
            "signedDate":\(period.signedAt),"\(member)":{"appAppleId":531412,"bundleId":"\(Self.app)",\
            "environment":"Production","bundleVersion":"42"\(content.isEmpty ? "" : ",")\(content)}}
            """
        return StoredNotification(
            proof: proof, try received(payload),
            identity: identity ?? .init(app: Self.app, environment: "Production", uuid: period.uuid),
            columns: columns, unfit: unfit)
    }

    /// A notification of a subscription that moved to Advanced Commerce: its transaction names the subscription before.
    func moved(
        _ period: Period, from previous: String, type: String = "DID_RENEW",
        _ change: (inout TransactionColumns) -> Void = { _ in }
    ) throws -> StoreItem {
        let transaction = try transaction(period) {
            $0.previousOriginalTransactionID = previous
            change(&$0)
        }
        var notification = try outer(
            period, type: type, member: "data",
            content: #""signedTransactionInfo":"\#(String(decoding: transaction.jws, as: UTF8.self))""#)
        notification.transaction = nested(transaction, in: notification)
        return item(notification)
    }

    /// A notification with a part that failed its check and has this payload.
    func faulty(_ period: Period, _ payload: String, member: String = "signedTransactionInfo") throws
        -> StoreItem
    {
        let jws = String(decoding: try signer.token(Array(payload.utf8)), as: UTF8.self)
        var notification = try outer(
            period, type: "DID_RENEW", member: member == "signedAppTransactionInfo" ? "appData" : "data",
            content: #""\#(member)":"\#(jws)""#)
        switch member {
        case "signedTransactionInfo": notification.transaction = .faulty(code: "signature-invalid")
        case "signedRenewalInfo": notification.renewal = .faulty(code: "signature-invalid")
        default: notification.appTransaction = .faulty(code: "signature-invalid")
        }
        return item(notification)
    }

    /// A notification of type TEST, which has no nested part.
    func test(_ number: Int) throws -> StoreItem {
        let notification = try outer(Period(number: number), type: "TEST", member: "data", content: "")
        return StoreItem(.notification(notification), source: .push, receivedAt: Self.received)
    }
}

extension StoreItem {
    var jws: [UInt8] {
        if case .notification(let notification) = content { notification.jws } else { [] }
    }

    var uuid: String {
        if case .notification(let notification) = content { notification.identity.uuid } else { "" }
    }
}
