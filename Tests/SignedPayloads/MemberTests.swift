import AppStoreSimulator
import JSON
@testable import SignedPayloads
import Support
import Testing

@Suite("The members of signed payloads")
struct MemberTests {
    enum Form: CaseIterable, Sendable { case text, int32, int64, date, signingDate, boolean, object }

    static let table: [(payload: String, member: String, form: Form)] =
        rows(
            "transaction",
            .text,
            """
            transactionId originalTransactionId previousOriginalTransactionId webOrderLineItemId appTransactionId \
            bundleId environment productId subscriptionGroupIdentifier type appAccountToken inAppOwnershipType \
            transactionReason additionalTransactionReason currency storefront offerIdentifier \
            offerDiscountType offerPeriod revocationType billingPlanType
            """
        )
        + rows("transaction", .int32, "quantity offerType revocationReason revocationPercentage")
        + rows("transaction", .int64, "price") + rows("transaction", .signingDate, "signedDate")
        + rows("transaction", .date, "purchaseDate originalPurchaseDate expiresDate revocationDate")
        + rows("transaction", .boolean, "isUpgraded")
        + rows("transaction", .object, "commitmentInfo multiSeatInfo advancedCommerceInfo")
        + rows("transaction.commitmentInfo", .int32, "billingPeriodNumber totalBillingPeriods")
        + rows("transaction.multiSeatInfo", .int32, "revokedSeatQuantity")
        + rows(
            "renewal",
            .text,
            """
            originalTransactionId appTransactionId environment appAccountToken productId autoRenewProductId \
            currency offerIdentifier offerDiscountType offerPeriod renewalBillingPlanType
            """
        )
        + rows(
            "renewal",
            .int32,
            """
            autoRenewStatus renewalQuantity expirationIntent priceIncreaseStatus offerType
            """
        )
        + rows("renewal", .int64, "renewalPrice") + rows("renewal", .signingDate, "signedDate")
        + rows("renewal", .date, "renewalDate recentSubscriptionStartDate gracePeriodExpiresDate")
        + rows("renewal", .boolean, "isInBillingRetryPeriod")
        + rows("renewal", .object, "advancedCommerceInfo")
        + rows(
            "app",
            .text,
            """
            appTransactionId bundleId receiptType applicationVersion originalApplicationVersion originalPlatform
            """
        )
        + rows("app", .int64, "appAppleId") + rows("app", .signingDate, "receiptCreationDate")
        + rows("app", .date, "originalPurchaseDate preorderDate")
        + rows("notification", .text, "subtype version") + rows("notification", .signingDate, "signedDate")
        + rows("notification.data", .text, "bundleId environment bundleVersion consumptionRequestReason")
        + rows("notification.data", .int64, "appAppleId") + rows("notification.data", .int32, "status")
        + rows("notification.summary", .text, "bundleId environment productId")
        + rows("notification.summary", .int64, "appAppleId")
        + rows("notification.externalPurchaseToken", .text, "bundleId externalPurchaseId")
        + rows("notification.externalPurchaseToken", .int64, "appAppleId")
        + rows("notification.appData", .text, "bundleId environment")
        + rows("notification.appData", .int64, "appAppleId")
        + rows("notification.unclaimInfo", .text, "bundleId environment")
        + rows("notification.unclaimInfo", .int64, "appAppleId")

    private static func rows(_ payload: String, _ form: Form, _ names: String) -> [(String, String, Form)] {
        names.split { $0 == " " || $0 == "\n" }.map { (payload, String($0), form) }
    }

    static let values: [(json: String, fits: Set<Form>)] = [
        (#""a""#, [.text]), (#""é\u0001""#, [.text]), (#""""#, []), (long(512), [.text]), (long(513), []),
        ("0", [.int32, .int64, .date, .signingDate]), ("-1", [.int32, .int64, .signingDate]),
        ("2147483647", [.int32, .int64, .date, .signingDate]), ("2147483648", [.int64, .date, .signingDate]),
        ("-2147483648", [.int32, .int64, .signingDate]), ("-2147483649", [.int64, .signingDate]),
        ("253402300799999", [.int64, .date, .signingDate]), ("253402300800000", [.int64, .signingDate]),
        ("9223372036854775807", [.int64, .signingDate]), ("-9223372036854775808", [.int64, .signingDate]),
        ("1.0", []), ("1e3", []), ("true", [.boolean]), ("false", [.boolean]), ("{}", [.object]),
        ("[]", []), (#"["a"]"#, []),
    ]

    private static func long(_ count: Int) -> String { "\"\(String(repeating: "x", count: count))\"" }

    @Test("are nil and marked when their value has a wrong type or is outside of its range", arguments: table)
    func forms(payload: String, member: String, form: Form) throws {
        for (json, fits) in Self.values {
            let found = try Self.unusable(payload, member, json)
            // Some libraries write an empty token where the app gives none.
            let isNone = member == "appAccountToken" && json == #""""#
            #expect(found == (fits.contains(form) || isNone ? [] : [member]), "\(member): \(json)")
        }
        #expect(try Self.unusable(payload, member, "null") == [], "\(member): null")
    }

    @Test("of an array of items are marked as a whole", arguments: ["transaction", "renewal"])
    func items(payload: String) throws {
        let rows: [(String, [String])] = [
            (#"{"items":[{"SKU":"a"},{"SKU":"b","x":1}]}"#, []), (#"{"items":[]}"#, []), ("{}", []),
            (#"{"items":[{"SKU":"a"},{}]}"#, ["items"]), (#"{"items":[{"SKU":1}]}"#, ["items"]),
            (#"{"items":["a"]}"#, ["items"]), (#"{"items":{}}"#, ["items"]), (#"{"items":null}"#, []),
        ]
        for (json, unusable) in rows {
            #expect(try Self.unusable(payload, "advancedCommerceInfo", json) == unusable, "\(json)")
        }
    }

    @Test("have a property each, which nothing but their own value sets")
    func properties() throws {
        var transaction = PayloadMembers()
        for row in Self.table where row.payload == "transaction" && row.form == .text {
            transaction.set(row.member, text: "value of \(row.member)")
        }
        let whole = Transaction(try Self.parse(transaction.json).root)
        var count = 0
        for child in Mirror(reflecting: whole).children {
            guard let text = child.value as? String else { continue }
            #expect(text == "value of \(child.label ?? "")")
            count += 1
        }
        #expect(count == Self.table.count { $0.payload == "transaction" && $0.form == .text })
    }

    private static func unusable(_ payload: String, _ member: String, _ json: String) throws -> [String] {
        let path = payload.split(separator: ".").map(String.init)
        var members = PayloadMembers()
        members.set(member, json: json)
        for name in path.dropFirst().reversed() {
            members = PayloadMembers().with { $0.set(name, members: members) }
        }
        if path[0] == "notification" {
            members.set("notificationType", text: "TEST")
            members.set("notificationUUID", text: "u")
        }
        let document = try parse(members.json)
        switch path[0] {
        case "transaction": return Transaction(document.root).unusableMembers
        case "renewal": return RenewalInfo(document.root).unusableMembers
        case "app": return AppTransaction(document.root).unusableMembers
        default: return try Notification(document.root).unusableMembers
        }
    }

    private static func parse(_ json: [UInt8]) throws -> JSONDocument { try SignedJSON.object(json.span) }
}
