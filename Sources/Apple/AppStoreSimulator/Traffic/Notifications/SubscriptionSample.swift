package import System

/// A subscription from which notifications are made. Its values are those of the period that runs when the notification
/// is sent.
package struct SubscriptionSample: Sendable, Hashable {
    /// Apple's number of the app.
    package var appAppleId: Int64
    package var bundleId: String
    /// `Production`, `Sandbox`, `LocalTesting`, or a word that no environment has.
    package var environment: String
    /// The identifier of the first transaction. Those of the later transactions are higher.
    package var originalTransactionId: Int64 = 2_000_000_001
    /// The number of the running period; the first is 1.
    package var period: Int64 = 1
    /// When the running period began, milliseconds since 1970.
    package var purchaseDate: Int64
    package var periodDays: Int64 = 30
    package var productId = "com.example.product"
    /// The product of an upgrade or of a downgrade.
    package var otherProductId = "com.example.other"
    package var subscriptionGroupIdentifier = "21000001"
    package var price: Int64 = 9_990
    package var currency = "USD"
    /// The storefront in three letters.
    package var storefront = "USA"
    /// Apple's number of the storefront.
    package var storefrontId = "143441"
    /// The customer's UUID in the app; nil when the app sets none.
    package var appAccountToken: UUID?
    /// The offer of the running period; nil when the customer pays its price.
    package var offer: SubscriptionOffer?
    /// The offer of the coming period; nil when the customer will pay its price.
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

    /// The payload of the running period's transaction, signed at `signedDate`.
    ///
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
        offer?.write(to: &members)
        members.set("appTransactionId", text: String(originalTransactionId + 700_000_000))
        return members
    }

    /// The payload of the renewal info, signed at `signedDate`.
    ///
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
        renewalOffer?.write(to: &members)
        members.set("appTransactionId", text: String(originalTransactionId + 700_000_000))
        members.set("appAccountToken", text: appAccountToken?.description)
        return members
    }

    /// The payload of the app transaction, signed at `signedDate`.
    ///
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

/// A promotional offer, as the payloads of a period or of a renewal show it.
package struct SubscriptionOffer: Sendable, Hashable {
    /// The offer's identifier in App Store Connect.
    package var identifier: String
    /// What a period costs with the offer, in thousandths.
    package var price: Int64
    /// The duration of a period, as in `P1M`.
    package var period: String

    package init(identifier: String, price: Int64, period: String) {
        self.identifier = identifier
        self.price = price
        self.period = period
    }

    /// `offerType` of a promotional offer. Source: Apple, offerType.
    private static let type: Int64 = 2

    /// Writes the members that a transaction and a renewal info share.
    func write(to members: inout PayloadMembers) {
        members.set("offerType", number: Self.type)
        members.set("offerIdentifier", text: identifier)
        members.set("offerDiscountType", text: price == 0 ? "FREE_TRIAL" : "PAY_AS_YOU_GO")
        members.set("offerPeriod", text: period)
    }
}
