/// A transaction that Apple signed: the members of JWSTransactionDecodedPayload that reports and facts need.
///
/// Every member is optional, and every value is kept as Apple wrote it: a value that this version does not know is not an
/// error. The signed bytes have all members, also those without a property here. Dates are milliseconds since 1970.
///
/// Source: Apple, JWSTransactionDecodedPayload (App Store Server API 1.23) and the models of Apple's server libraries.
public struct Transaction: Sendable, Hashable {
    /// `transactionId`: the identifier of this purchase or of this period.
    public var transactionId: String?
    /// `originalTransactionId`: the identifier that all periods of a subscription share.
    public var originalTransactionId: String?
    /// `previousOriginalTransactionId`: the identifier before a migration to the Advanced Commerce API.
    public var previousOriginalTransactionId: String?
    /// `webOrderLineItemId`: the identifier of one period across devices.
    public var webOrderLineItemId: String?
    /// `appTransactionId`: the identifier of the app's download.
    public var appTransactionId: String?
    /// `bundleId`: the bundle identifier of the app.
    public var bundleId: String?
    /// `environment`: `Production`, `Sandbox` or another word.
    public var environment: String?
    /// `signedDate`: when Apple signed this copy.
    public var signedDate: Int64?

    /// `productId`: the product. With the Advanced Commerce API it is a generic product; see ``advancedCommerceSKUs``.
    public var productId: String?
    /// `subscriptionGroupIdentifier`: the group of the subscription.
    public var subscriptionGroupIdentifier: String?
    /// `type`: `Auto-Renewable Subscription`, `Non-Consumable`, `Consumable`, `Non-Renewing Subscription`.
    public var type: String?
    /// `quantity`: the number of consumables, or of seats.
    public var quantity: Int32?
    /// `appAccountToken`: the UUID by which the app knows the customer.
    public var appAccountToken: String?
    /// `inAppOwnershipType`: `PURCHASED`, `FAMILY_SHARED`, `ASSIGNED`.
    public var inAppOwnershipType: String?
    /// `transactionReason`: `PURCHASE` or `RENEWAL`.
    public var transactionReason: String?
    /// `additionalTransactionReason`: `SEAT_ADDITION` for one of several transactions of the same period.
    public var additionalTransactionReason: String?

    /// `purchaseDate`: the start of the period.
    public var purchaseDate: Int64?
    /// `originalPurchaseDate`: the start of the first period.
    public var originalPurchaseDate: Int64?
    /// `expiresDate`: the end of the period.
    public var expiresDate: Int64?
    /// `isUpgraded`: true when an upgrade ended the period early.
    public var isUpgraded: Bool?

    /// `price`: what was paid, in thousandths of the currency's unit. With seats it is the average of one seat.
    public var price: Int64?
    /// `currency`: the ISO 4217 code of the price.
    public var currency: String?
    /// `storefront`: the country in three letters.
    public var storefront: String?
    /// `storefrontId`: Apple's number of the storefront.
    public var storefrontId: String?

    /// `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention offer.
    public var offerType: Int32?
    /// `offerIdentifier`: the offer; absent for introductory offers.
    public var offerIdentifier: String?
    /// `offerDiscountType`: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME`.
    public var offerDiscountType: String?
    /// `offerPeriod`: the duration of the offer, in ISO 8601.
    public var offerPeriod: String?

    /// `revocationDate`: when Apple refunded the transaction or took it back.
    public var revocationDate: Int64?
    /// `revocationReason`: 1 for an issue with the app, 0 for any other reason.
    public var revocationReason: Int32?
    /// `revocationType`: `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE`, `ASSIGNMENT_REVOKE`.
    public var revocationType: String?
    /// `revocationPercentage`: the refunded share in thousandths of a percent.
    public var revocationPercentage: Int32?

    /// `billingPlanType`: `BILLED_UPFRONT` or `MONTHLY`.
    public var billingPlanType: String?
    /// `commitmentInfo`: where the transaction is in a commitment of several billing periods.
    public var commitment: Commitment?
    /// `multiSeatInfo.revokedSeatQuantity`: the number of seats that were refunded.
    public var revokedSeatQuantity: Int32?
    /// `advancedCommerceInfo.items[].SKU`: the products of the Advanced Commerce API.
    public var advancedCommerceSKUs: [String]?

    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    public var unusableMembers: [String] = []

    /// The place of a transaction in a commitment.
    public struct Commitment: Sendable, Hashable {
        /// `billingPeriodNumber`: the number of this billing period.
        public var billingPeriodNumber: Int32?
        /// `totalBillingPeriods`: how many billing periods the commitment has.
        public var totalBillingPeriods: Int32?
        /// `commitmentExpiresDate`: the end of the commitment.
        public var commitmentExpiresDate: Int64?
        /// `commitmentPrice`: the price of the whole commitment, in thousandths.
        public var commitmentPrice: Int64?
    }
}
