/// The values of a transaction (Apple, JWSTransactionDecodedPayload) that have columns in `transactions`. Dates are
/// milliseconds since 1970.
public struct TransactionColumns: TableColumns {
    /// `signedDate`.
    public var signedAt: Int64?
    /// `originalTransactionId`.
    public var originalTransactionID: String?
    /// `transactionId`.
    public var transactionID: String?
    /// `webOrderLineItemId`.
    public var webOrderLineItemID: String?
    /// `previousOriginalTransactionId`.
    public var previousOriginalTransactionID: String?
    /// `appTransactionId`.
    public var appTransactionID: String?
    /// `appAccountToken`.
    public var appAccountToken: String?
    /// `productId`.
    public var productID: String?
    /// `subscriptionGroupIdentifier`.
    public var subscriptionGroupID: String?
    /// `type`.
    public var type: String?
    /// `inAppOwnershipType`.
    public var ownership: String?
    /// `purchaseDate`.
    public var purchasedAt: Int64?
    /// `originalPurchaseDate`.
    public var originallyPurchasedAt: Int64?
    /// `expiresDate`.
    public var expiresAt: Int64?
    /// `quantity`.
    public var quantity: Int64?
    /// `transactionReason`.
    public var reason: String?
    /// `additionalTransactionReason`.
    public var additionalReason: String?
    /// `isUpgraded`.
    public var isUpgraded: Bool?
    /// `price` in thousandths of the currency unit.
    public var price: Int64?
    /// `currency`.
    public var currency: String?
    /// `storefront`.
    public var storefront: String?
    /// `offerType`.
    public var offerType: Int64?
    /// `offerIdentifier`.
    public var offerIdentifier: String?
    /// `offerDiscountType`.
    public var offerDiscountType: String?
    /// `offerPeriod`.
    public var offerPeriod: String?
    /// `revocationDate`.
    public var revokedAt: Int64?
    /// `revocationReason`.
    public var revocationReason: Int64?
    /// `revocationType`.
    public var revocationType: String?
    /// `revocationPercentage` in thousandths of a percent.
    public var revocationPercentage: Int64?
    /// `billingPlanType`.
    public var billingPlan: String?
    /// `commitmentInfo.billingPeriodNumber`.
    public var commitmentPeriod: Int64?
    /// `commitmentInfo.totalBillingPeriods`.
    public var commitmentPeriods: Int64?
    /// `advancedCommerceInfo.items[].SKU`, where there is exactly one item.
    public var sku: String?

    /// Makes a set without values.
    public init() {}

    static let columns: [Column<Self>] = [
        Column("signed_at", \.signedAt), Column("original_transaction_id", \.originalTransactionID),
        Column("transaction_id", \.transactionID), Column("web_order_line_item_id", \.webOrderLineItemID),
        Column("previous_original_transaction_id", \.previousOriginalTransactionID),
        Column("app_transaction_id", \.appTransactionID), Column("app_account_token", \.appAccountToken),
        Column("product_id", \.productID), Column("subscription_group_id", \.subscriptionGroupID),
        Column("type", \.type), Column("ownership", \.ownership), Column("purchased_at", \.purchasedAt),
        Column("originally_purchased_at", \.originallyPurchasedAt), Column("expires_at", \.expiresAt),
        Column("quantity", \.quantity), Column("reason", \.reason),
        Column("additional_reason", \.additionalReason), Column(flag: "is_upgraded", \.isUpgraded),
        Column("price", \.price), Column("currency", \.currency), Column("storefront", \.storefront),
        Column("offer_type", \.offerType), Column("offer_identifier", \.offerIdentifier),
        Column("offer_discount_type", \.offerDiscountType), Column("offer_period", \.offerPeriod),
        Column("revoked_at", \.revokedAt), Column("revocation_reason", \.revocationReason),
        Column("revocation_type", \.revocationType), Column("revocation_percentage", \.revocationPercentage),
        Column("billing_plan", \.billingPlan), Column("commitment_period", \.commitmentPeriod),
        Column("commitment_periods", \.commitmentPeriods), Column("sku", \.sku),
    ]
}
