/// A transaction that Apple signed: the members that reports and facts need. Every member is optional, and every value is
/// kept as Apple wrote it: an unknown value is not an error. Dates are milliseconds since 1970.
///
/// Source: Apple, JWSTransactionDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
public struct Transaction: Sendable, Hashable {
    public var transactionId: String?
    public var originalTransactionId: String?
    /// `previousOriginalTransactionId`: the identifier before a migration to the Advanced Commerce API.
    public var previousOriginalTransactionId: String?
    public var webOrderLineItemId: String?
    public var appTransactionId: String?
    public var bundleId: String?
    public var environment: String?
    public var signedDate: Int64?
    public var productId: String?
    public var subscriptionGroupIdentifier: String?
    /// `type`: `Auto-Renewable Subscription`, `Non-Consumable`, `Consumable`, `Non-Renewing Subscription`.
    public var type: String?
    public var quantity: Int32?
    public var appAccountToken: String?
    /// `inAppOwnershipType`: `PURCHASED`, `FAMILY_SHARED`, `ASSIGNED`.
    public var inAppOwnershipType: String?
    /// `transactionReason`: `PURCHASE` or `RENEWAL`.
    public var transactionReason: String?
    /// `additionalTransactionReason`: `SEAT_ADDITION` for one of several transactions of the same period.
    public var additionalTransactionReason: String?

    public var purchaseDate: Int64?
    public var originalPurchaseDate: Int64?
    public var expiresDate: Int64?
    public var isUpgraded: Bool?

    /// `price`: what was paid, in thousandths of the currency's unit. With seats it is the average of one seat.
    public var price: Int64?
    public var currency: String?
    public var storefront: String?
    public var storefrontId: String?

    /// `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention offer.
    public var offerType: Int32?
    public var offerIdentifier: String?
    public var offerDiscountType: String?
    public var offerPeriod: String?
    public var revocationDate: Int64?
    /// `revocationReason`: 1 for an issue with the app, 0 for any other reason.
    public var revocationReason: Int32?
    public var revocationType: String?
    /// `revocationPercentage`: the refunded share in thousandths of a percent.
    public var revocationPercentage: Int32?

    public var billingPlanType: String?
    public var commitment: Commitment?
    /// `multiSeatInfo.revokedSeatQuantity`: the number of seats that were refunded.
    public var revokedSeatQuantity: Int32?
    /// `advancedCommerceInfo.items[].SKU`: the products of the Advanced Commerce API.
    public var advancedCommerceSKUs: [String]?

    public var unusableMembers: [String] = []

    public struct Commitment: Sendable, Hashable {
        public var billingPeriodNumber: Int32?
        public var totalBillingPeriods: Int32?
        public var commitmentExpiresDate: Int64?
        /// `commitmentPrice`: the price of the whole commitment, in thousandths.
        public var commitmentPrice: Int64?
    }
}

/// What Apple says about the next renewal of a subscription; see ``Transaction``. It has no bundle identifier.
///
/// Source: Apple, JWSRenewalInfoDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
public struct RenewalInfo: Sendable, Hashable {
    public var originalTransactionId: String?
    public var appTransactionId: String?
    public var environment: String?
    public var signedDate: Int64?
    public var appAccountToken: String?
    public var productId: String?
    public var autoRenewProductId: String?
    /// 1 when the subscription renews, 0 when the customer turned renewal off.
    public var autoRenewStatus: Int32?
    /// `renewalDate`: the end of the latest purchase. It may be in the past.
    public var renewalDate: Int64?
    /// `renewalPrice`: the price of the next period in thousandths, with the offer applied.
    public var renewalPrice: Int64?
    public var currency: String?
    public var renewalQuantity: Int32?
    /// `recentSubscriptionStartDate`: the start of the latest run of periods with gaps of at most 60 days.
    public var recentSubscriptionStartDate: Int64?

    /// `expirationIntent`: 1 cancelled, 2 billing error, 3 price increase not accepted, 4 product unavailable, 5 other.
    public var expirationIntent: Int32?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Int64?
    /// `priceIncreaseStatus`: 0 when the customer has not answered yet, 1 when the customer accepted or was only told.
    public var priceIncreaseStatus: Int32?

    public var offerType: Int32?
    public var offerIdentifier: String?
    public var offerDiscountType: String?
    public var offerPeriod: String?
    /// `eligibleWinBackOfferIds`: the win-back offers that the customer may take, the best first.
    public var eligibleWinBackOfferIds: [String]?

    public var renewalBillingPlanType: String?
    public var commitment: Commitment?
    public var advancedCommerceSKUs: [String]?
    public var unusableMembers: [String] = []

    public struct Commitment: Sendable, Hashable {
        public var commitmentAutoRenewProductId: String?
        /// `commitmentAutoRenewStatus`: 1 when the commitment renews, 0 when it ends.
        public var commitmentAutoRenewStatus: Int32?
        public var commitmentRenewalBillingPlanType: String?
        public var commitmentRenewalDate: Int64?
        /// `commitmentRenewalPrice`: the price that follows, in thousandths.
        public var commitmentRenewalPrice: Int64?
    }
}

/// The download of an app, as Apple signed it; see ``Transaction``.
///
/// Source: Apple, AppTransaction (StoreKit) and JWSAppTransactionDecodedPayload (App Store Server API).
public struct AppTransaction: Sendable, Hashable {
    public var appTransactionId: String?
    public var bundleId: String?
    public var appAppleId: Int64?
    public var receiptType: String?
    public var receiptCreationDate: Int64?
    public var applicationVersion: String?
    public var originalApplicationVersion: String?
    public var originalPurchaseDate: Int64?
    public var preorderDate: Int64?
    public var originalPlatform: String?

    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    public var unusableMembers: [String] = []
}
