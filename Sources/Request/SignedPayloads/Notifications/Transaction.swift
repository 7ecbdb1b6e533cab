/// A transaction that Apple signed: the members that reports and facts need. Every member is optional, and every value is
/// kept as Apple wrote it: an unknown value is not an error. Dates are milliseconds since 1970.
///
/// Source: Apple, JWSTransactionDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
package struct Transaction: Sendable, Hashable {
    package var transactionId: String?
    package var originalTransactionId: String?
    /// `previousOriginalTransactionId`: the identifier before a migration to the Advanced Commerce API.
    package var previousOriginalTransactionId: String?
    package var webOrderLineItemId: String?
    package var appTransactionId: String?
    package var bundleId: String?
    package var environment: String?
    package var signedDate: Int64?
    package var productId: String?
    package var subscriptionGroupIdentifier: String?
    /// `type`: `Auto-Renewable Subscription`, `Non-Consumable`, `Consumable`, `Non-Renewing Subscription`.
    package var type: String?
    package var quantity: Int32?
    package var appAccountToken: String?
    /// `inAppOwnershipType`: `PURCHASED`, `FAMILY_SHARED`, `ASSIGNED`.
    package var inAppOwnershipType: String?
    /// `transactionReason`: `PURCHASE` or `RENEWAL`.
    package var transactionReason: String?
    /// `additionalTransactionReason`: `SEAT_ADDITION` for one of several transactions of the same period.
    package var additionalTransactionReason: String?

    package var purchaseDate: Int64?
    package var originalPurchaseDate: Int64?
    package var expiresDate: Int64?
    package var isUpgraded: Bool?

    /// `price`: what was paid, in thousandths of the currency's unit. With seats it is the average of one seat.
    package var price: Int64?
    package var currency: String?
    package var storefront: String?
    package var storefrontId: String?

    /// `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention offer.
    package var offerType: Int32?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var offerPeriod: String?
    package var revocationDate: Int64?
    /// `revocationReason`: 1 for an issue with the app, 0 for any other reason.
    package var revocationReason: Int32?
    package var revocationType: String?
    /// `revocationPercentage`: the refunded share in thousandths of a percent.
    package var revocationPercentage: Int32?

    package var billingPlanType: String?
    package var commitment: Commitment?
    /// `multiSeatInfo.revokedSeatQuantity`: the number of seats that were refunded.
    package var revokedSeatQuantity: Int32?
    /// `advancedCommerceInfo.items[].SKU`: the products of the Advanced Commerce API.
    package var advancedCommerceSKUs: [String]?

    package var unusableMembers: [String] = []

    package struct Commitment: Sendable, Hashable {
        package var billingPeriodNumber: Int32?
        package var totalBillingPeriods: Int32?
        package var commitmentExpiresDate: Int64?
        /// `commitmentPrice`: the price of the whole commitment, in thousandths.
        package var commitmentPrice: Int64?
    }
}

/// What Apple says about the next renewal of a subscription; see ``Transaction``. It has no bundle identifier.
///
/// Source: Apple, JWSRenewalInfoDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
package struct RenewalInfo: Sendable, Hashable {
    package var originalTransactionId: String?
    package var appTransactionId: String?
    package var environment: String?
    package var signedDate: Int64?
    package var appAccountToken: String?
    package var productId: String?
    package var autoRenewProductId: String?
    /// 1 when the subscription renews, 0 when the customer turned renewal off.
    package var autoRenewStatus: Int32?
    /// `renewalDate`: the end of the latest purchase. It may be in the past.
    package var renewalDate: Int64?
    /// `renewalPrice`: the price of the next period in thousandths, with the offer applied.
    package var renewalPrice: Int64?
    package var currency: String?
    package var renewalQuantity: Int32?
    /// `recentSubscriptionStartDate`: the start of the latest run of periods with gaps of at most 60 days.
    package var recentSubscriptionStartDate: Int64?

    /// `expirationIntent`: 1 cancelled, 2 billing error, 3 price increase not accepted, 4 product unavailable, 5 other.
    package var expirationIntent: Int32?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Int64?
    /// `priceIncreaseStatus`: 0 when the customer has not answered yet, 1 when the customer accepted or was only told.
    package var priceIncreaseStatus: Int32?

    package var offerType: Int32?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var offerPeriod: String?
    /// `eligibleWinBackOfferIds`: the win-back offers that the customer may take, the best first.
    package var eligibleWinBackOfferIds: [String]?

    package var renewalBillingPlanType: String?
    package var commitment: Commitment?
    package var advancedCommerceSKUs: [String]?
    package var unusableMembers: [String] = []

    package struct Commitment: Sendable, Hashable {
        package var commitmentAutoRenewProductId: String?
        /// `commitmentAutoRenewStatus`: 1 when the commitment renews, 0 when it ends.
        package var commitmentAutoRenewStatus: Int32?
        package var commitmentRenewalBillingPlanType: String?
        package var commitmentRenewalDate: Int64?
        /// `commitmentRenewalPrice`: the price that follows, in thousandths.
        package var commitmentRenewalPrice: Int64?
    }
}

/// The download of an app, as Apple signed it; see ``Transaction``.
///
/// Source: Apple, AppTransaction (StoreKit) and JWSAppTransactionDecodedPayload (App Store Server API).
package struct AppTransaction: Sendable, Hashable {
    package var appTransactionId: String?
    package var bundleId: String?
    package var appAppleId: Int64?
    package var receiptType: String?
    package var receiptCreationDate: Int64?
    package var applicationVersion: String?
    package var originalApplicationVersion: String?
    package var originalPurchaseDate: Int64?
    package var preorderDate: Int64?
    package var originalPlatform: String?

    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    package var unusableMembers: [String] = []
}
