package import Cryptography
package import System

/// A notification before it is signed. A test can make any part of it wrong. Source: Apple, responseBodyV2DecodedPayload.
package struct NotificationPayload: Sendable {
    let sample: SubscriptionSample
    let signedDate: Int64
    package var members = PayloadMembers()
    package var objectName: String?
    package var object = PayloadMembers()
    package var transaction: PayloadMembers?
    package var renewalInfo: PayloadMembers?
    package var appTransaction: PayloadMembers?
    /// Members to replace or to add in the object after its parts are signed, as JSON texts; nil leaves the member out.
    package var objectOverrides: [(name: String, json: String?)] = []
    /// Members to replace or to add in the notification after its object is written.
    package var overrides: [(name: String, json: String?)] = []

    package init(_ kind: NotificationKind, of sample: SubscriptionSample, uuid: UUID, signedDate: Int64) {
        (self.sample, self.signedDate) = (sample, signedDate)
        members.set("notificationType", text: kind.type)
        members.set("subtype", text: kind.subtype)
        members.set("notificationUUID", text: uuid.description)
        members.set("version", text: "2.0")
        members.set("signedDate", number: signedDate)
        objectName = kind.object.rawValue
        object.set("appAppleId", number: sample.sentAppAppleId)
        object.set("bundleId", text: sample.bundleId)
        if kind.object != .externalPurchaseToken { object.set("environment", text: sample.environment) }
        switch kind.object {
        case .data:
            object.set("bundleVersion", text: "42")
            transaction = sample.transaction(signedDate: signedDate)
            renewalInfo = sample.renewalInfo(signedDate: signedDate)
            object.set("status", number: 1)
        case .summary:
            object.set("productId", text: sample.productId)
            object.set("requestIdentifier", text: uuid.description)
            object.set("storefrontCountryCodes", texts: [sample.storefront])
            object.set("succeededCount", number: 5)
            object.set("failedCount", number: 2)
        case .externalPurchaseToken:
            let prefix = sample.environment == Environment.sandbox.rawValue ? "SANDBOX_" : ""
            object.set("externalPurchaseId", text: prefix + uuid.description)
            object.set("tokenCreationDate", number: signedDate - 3_600_000)
        case .appData: appTransaction = sample.appTransaction(signedDate: signedDate)
        case .unclaimInfo: object.set("unclaimSeatIds", texts: [uuid.description])
        }
        kind.change(&self)
    }
}

extension SignedRequestBuilder {
    package func compact(_ notification: NotificationPayload) throws(CryptographyError) -> [UInt8] {
        var object = notification.object
        for (name, part) in [
            ("signedTransactionInfo", notification.transaction),
            ("signedRenewalInfo", notification.renewalInfo),
            ("signedAppTransactionInfo", notification.appTransaction),
        ] {
            guard let part else { continue }
            object.set(name, text: String(decoding: try compact(part.json), as: UTF8.self))
        }
        for change in notification.objectOverrides { object.set(change.name, json: change.json) }
        var members = notification.members
        if let name = notification.objectName { members.set(name, members: object) }
        for change in notification.overrides { members.set(change.name, json: change.json) }
        return try compact(members.json)
    }

    package func body(_ notification: NotificationPayload) throws(CryptographyError) -> [UInt8] {
        Self.wrap(try compact(notification))
    }
}

/// What a notification is about. Source: Apple, responseBodyV2DecodedPayload (2.23).
package enum NotificationObject: String, Sendable, Hashable, CaseIterable {
    case data, summary, externalPurchaseToken, appData, unclaimInfo
}

/// A subscription from which notifications are made, in the period that runs when one is sent.
package struct SubscriptionSample: Sendable, Hashable {
    package var appAppleId: Int64
    package var bundleId: String
    /// `Production`, `Sandbox`, `LocalTesting`, or a word that no environment has.
    package var environment: String
    /// The identifier of the first transaction. Those of the later transactions are higher.
    package var originalTransactionId: Int64 = 2_000_000_001
    package var period: Int64 = 1
    package var purchaseDate: Int64
    package var periodDays: Int64 = 30
    package var productId = "com.example.product"
    package var otherProductId = "com.example.other"
    package var subscriptionGroupIdentifier = "21000001"
    package var price: Int64 = 9_990
    package var currency = "USD"
    package var storefront = "USA"
    package var storefrontId = "143441"
    package var appAccountToken: UUID?
    package var offer: SubscriptionOffer?
    package var renewalOffer: SubscriptionOffer?

    package init(appAppleId: Int64, bundleId: String, environment: Environment, purchaseDate: Int64) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment.rawValue
        self.purchaseDate = purchaseDate
    }

    var periodMilliseconds: Int64 { periodDays * 86_400_000 }
    var expiresDate: Int64 { purchaseDate + periodMilliseconds }
    var originalPurchaseDate: Int64 { purchaseDate - (period - 1) * periodMilliseconds }
    var transactionId: Int64 { originalTransactionId + period - 1 }
    /// Apple's number of the app where Apple sends it: not in the sandbox.
    var sentAppAppleId: Int64? {
        environment == Environment.sandbox.rawValue ? nil : appAppleId
    }

    /// Source: Apple, JWSTransactionDecodedPayload.
    package func transaction(signedDate: Int64) -> PayloadMembers {
        var members = PayloadMembers()
        members.set("transactionId", text: String(transactionId))
        members.set("originalTransactionId", text: String(originalTransactionId))
        members.set("webOrderLineItemId", text: String(transactionId + 500_000_000))
        members.set("bundleId", text: bundleId)
        members.set("productId", text: productId)
        members.set("subscriptionGroupIdentifier", text: subscriptionGroupIdentifier)
        members.set("purchaseDate", number: purchaseDate)
        members.set("originalPurchaseDate", number: originalPurchaseDate)
        members.set("expiresDate", number: expiresDate)
        members.set("quantity", number: 1)
        members.set("type", text: "Auto-Renewable Subscription")
        members.set("appAccountToken", text: appAccountToken?.description)
        members.set("inAppOwnershipType", text: "PURCHASED")
        members.set("signedDate", number: signedDate)
        members.set("environment", text: environment)
        members.set("transactionReason", text: period == 1 ? "PURCHASE" : "RENEWAL")
        members.set("storefront", text: storefront)
        members.set("storefrontId", text: storefrontId)
        members.set("price", number: offer?.price ?? price)
        members.set("currency", text: currency)
        if let offer { members.set(offer) }
        members.set("appTransactionId", text: String(originalTransactionId + 700_000_000))
        return members
    }

    /// Source: Apple, JWSRenewalInfoDecodedPayload.
    package func renewalInfo(signedDate: Int64) -> PayloadMembers {
        var members = PayloadMembers()
        members.set("originalTransactionId", text: String(originalTransactionId))
        members.set("autoRenewProductId", text: productId)
        members.set("productId", text: productId)
        members.set("autoRenewStatus", number: 1)
        members.set("renewalPrice", number: renewalOffer?.price ?? price)
        members.set("currency", text: currency)
        members.set("signedDate", number: signedDate)
        members.set("environment", text: environment)
        members.set("recentSubscriptionStartDate", number: originalPurchaseDate)
        members.set("renewalDate", number: expiresDate)
        if let renewalOffer { members.set(renewalOffer) }
        members.set("appTransactionId", text: String(originalTransactionId + 700_000_000))
        members.set("appAccountToken", text: appAccountToken?.description)
        return members
    }

    /// Source: Apple, AppTransaction.
    package func appTransaction(signedDate: Int64) -> PayloadMembers {
        var members = PayloadMembers()
        members.set("receiptType", text: environment)
        members.set("appAppleId", number: appAppleId)
        members.set("bundleId", text: bundleId)
        members.set("applicationVersion", text: "1.2.3")
        members.set("versionExternalIdentifier", number: 512)
        members.set("receiptCreationDate", number: signedDate)
        members.set("originalPurchaseDate", number: originalPurchaseDate)
        members.set("originalApplicationVersion", text: "1.1.2")
        members.set("appTransactionId", text: String(originalTransactionId + 700_000_000))
        members.set("originalPlatform", text: "iOS")
        return members
    }
}

package struct SubscriptionOffer: Sendable, Hashable {
    package var identifier: String
    package var price: Int64
    package var period: String
}

extension PayloadMembers {
    mutating func set(_ offer: SubscriptionOffer) {
        // A promotional offer. Source: Apple, offerType.
        set("offerType", number: 2)
        set("offerIdentifier", text: offer.identifier)
        set("offerDiscountType", text: offer.price == 0 ? "FREE_TRIAL" : "PAY_AS_YOU_GO")
        set("offerPeriod", text: offer.period)
    }
}
