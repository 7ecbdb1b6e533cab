/// What Apple says about the next renewal of a subscription: the members of JWSRenewalInfoDecodedPayload that reports and
/// facts need. It has no bundle identifier.
///
/// Every member is optional, and every value is kept as Apple wrote it, as in ``Transaction``. Dates are milliseconds
/// since 1970.
///
/// Source: Apple, JWSRenewalInfoDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
public struct RenewalInfo: Sendable, Hashable {
    /// `originalTransactionId`: the identifier that all periods of the subscription share.
    public var originalTransactionId: String?
    /// `appTransactionId`: the identifier of the app's download.
    public var appTransactionId: String?
    /// `environment`: `Production`, `Sandbox` or another word.
    public var environment: String?
    /// `signedDate`: when Apple signed this copy.
    public var signedDate: Int64?
    /// `appAccountToken`: the UUID of the coming renewal by which the app knows the customer.
    public var appAccountToken: String?

    /// `productId`: the product of the current period.
    public var productId: String?
    /// `autoRenewProductId`: the product of the next period.
    public var autoRenewProductId: String?
    /// `autoRenewStatus`: 1 when the subscription renews, 0 when the customer turned renewal off.
    public var autoRenewStatus: Int32?
    /// `renewalDate`: the end of the latest purchase. It may be in the past.
    public var renewalDate: Int64?
    /// `renewalPrice`: the price of the next period in thousandths, with the offer applied.
    public var renewalPrice: Int64?
    /// `currency`: the ISO 4217 code of the price.
    public var currency: String?
    /// `renewalQuantity`: the number of seats of the next period.
    public var renewalQuantity: Int32?
    /// `recentSubscriptionStartDate`: the start of the latest run of periods with gaps of at most 60 days.
    public var recentSubscriptionStartDate: Int64?

    /// `expirationIntent`: 1 cancelled, 2 billing error, 3 price increase not accepted, 4 product unavailable, 5 other.
    public var expirationIntent: Int32?
    /// `isInBillingRetryPeriod`: true while Apple tries to charge the customer again.
    public var isInBillingRetryPeriod: Bool?
    /// `gracePeriodExpiresDate`: the end of the grace period.
    public var gracePeriodExpiresDate: Int64?
    /// `priceIncreaseStatus`: 0 when the customer has not answered yet, 1 when the customer accepted or was only told.
    public var priceIncreaseStatus: Int32?

    /// `offerType`: the type of the coming renewal's offer, with the numbers of ``Transaction/offerType``.
    public var offerType: Int32?
    /// `offerIdentifier`: the offer of the coming renewal.
    public var offerIdentifier: String?
    /// `offerDiscountType`: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME`.
    public var offerDiscountType: String?
    /// `offerPeriod`: the duration of the offer, in ISO 8601.
    public var offerPeriod: String?
    /// `eligibleWinBackOfferIds`: the win-back offers that the customer may take, the best first.
    public var eligibleWinBackOfferIds: [String]?

    /// `renewalBillingPlanType`: `BILLED_UPFRONT` or `MONTHLY`.
    public var renewalBillingPlanType: String?
    /// `commitmentInfo`: what follows after a commitment of several billing periods.
    public var commitment: Commitment?
    /// `advancedCommerceInfo.items[].SKU`: the products of the Advanced Commerce API.
    public var advancedCommerceSKUs: [String]?

    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    public var unusableMembers: [String] = []

    /// What follows after a commitment.
    public struct Commitment: Sendable, Hashable {
        /// `commitmentAutoRenewProductId`: the product that follows.
        public var commitmentAutoRenewProductId: String?
        /// `commitmentAutoRenewStatus`: 1 when the commitment renews, 0 when it ends.
        public var commitmentAutoRenewStatus: Int32?
        /// `commitmentRenewalBillingPlanType`: the billing plan that follows.
        public var commitmentRenewalBillingPlanType: String?
        /// `commitmentRenewalDate`: when the commitment renews.
        public var commitmentRenewalDate: Int64?
        /// `commitmentRenewalPrice`: the price that follows, in thousandths.
        public var commitmentRenewalPrice: Int64?
    }
}
