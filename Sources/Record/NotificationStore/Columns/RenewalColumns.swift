/// The values of a renewal info (Apple, JWSRenewalInfoDecodedPayload) that have columns in `renewals`. Dates are
/// milliseconds since 1970.
public struct RenewalColumns: TableColumns {
    /// `signedDate`.
    public var signedAt: Int64?
    /// `originalTransactionId`.
    public var originalTransactionID: String?
    /// `appTransactionId`.
    public var appTransactionID: String?
    /// `appAccountToken` of the coming renewal.
    public var appAccountToken: String?
    /// `productId`.
    public var productID: String?
    /// `autoRenewProductId`.
    public var renewalProductID: String?
    /// `autoRenewStatus`: 0 off, 1 on.
    public var autoRenewStatus: Int64?
    /// `expirationIntent`.
    public var expirationIntent: Int64?
    /// `isInBillingRetryPeriod`.
    public var isInBillingRetry: Bool?
    /// `gracePeriodExpiresDate`.
    public var gracePeriodExpiresAt: Int64?
    /// `priceIncreaseStatus`.
    public var priceIncreaseStatus: Int64?
    /// `recentSubscriptionStartDate`.
    public var subscribedAt: Int64?
    /// `renewalDate`.
    public var renewsAt: Int64?
    /// `renewalPrice` in thousandths of the currency unit.
    public var renewalPrice: Int64?
    /// `currency`.
    public var currency: String?
    /// `renewalQuantity`.
    public var renewalQuantity: Int64?
    /// `offerType` of the coming renewal.
    public var offerType: Int64?
    /// `offerIdentifier`.
    public var offerIdentifier: String?
    /// `offerDiscountType`.
    public var offerDiscountType: String?
    /// `offerPeriod`.
    public var offerPeriod: String?
    /// `renewalBillingPlanType`.
    public var renewalBillingPlan: String?
    /// `advancedCommerceInfo.items[].SKU`, where there is exactly one item.
    public var sku: String?

    /// Makes a set without values.
    public init() {}

    static let columns: [Column<Self>] = [
        Column("signed_at", \.signedAt), Column("original_transaction_id", \.originalTransactionID),
        Column("app_transaction_id", \.appTransactionID), Column("app_account_token", \.appAccountToken),
        Column("product_id", \.productID), Column("renewal_product_id", \.renewalProductID),
        Column("auto_renew_status", \.autoRenewStatus), Column("expiration_intent", \.expirationIntent),
        Column(flag: "is_in_billing_retry", \.isInBillingRetry),
        Column("grace_period_expires_at", \.gracePeriodExpiresAt),
        Column("price_increase_status", \.priceIncreaseStatus), Column("subscribed_at", \.subscribedAt),
        Column("renews_at", \.renewsAt), Column("renewal_price", \.renewalPrice),
        Column("currency", \.currency),
        Column("renewal_quantity", \.renewalQuantity), Column("offer_type", \.offerType),
        Column("offer_identifier", \.offerIdentifier), Column("offer_discount_type", \.offerDiscountType),
        Column("offer_period", \.offerPeriod), Column("renewal_billing_plan", \.renewalBillingPlan),
        Column("sku", \.sku),
    ]
}
