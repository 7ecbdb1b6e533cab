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

    public init() {}

    mutating func visit(_ visitor: inout some ColumnVisitor) {
        visitor.visit("signed_at", &signedAt)
        visitor.visit("original_transaction_id", &originalTransactionID)
        visitor.visit("app_transaction_id", &appTransactionID)
        visitor.visit("app_account_token", &appAccountToken)
        visitor.visit("product_id", &productID)
        visitor.visit("renewal_product_id", &renewalProductID)
        visitor.visit("auto_renew_status", &autoRenewStatus)
        visitor.visit("expiration_intent", &expirationIntent)
        visitor.visit("is_in_billing_retry", &isInBillingRetry)
        visitor.visit("grace_period_expires_at", &gracePeriodExpiresAt)
        visitor.visit("price_increase_status", &priceIncreaseStatus)
        visitor.visit("subscribed_at", &subscribedAt)
        visitor.visit("renews_at", &renewsAt)
        visitor.visit("renewal_price", &renewalPrice)
        visitor.visit("currency", &currency)
        visitor.visit("renewal_quantity", &renewalQuantity)
        visitor.visit("offer_type", &offerType)
        visitor.visit("offer_identifier", &offerIdentifier)
        visitor.visit("offer_discount_type", &offerDiscountType)
        visitor.visit("offer_period", &offerPeriod)
        visitor.visit("renewal_billing_plan", &renewalBillingPlan)
        visitor.visit("sku", &sku)
    }
}
