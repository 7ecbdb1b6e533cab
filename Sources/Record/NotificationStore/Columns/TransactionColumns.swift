internal import JSON
internal import SQL

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
    /// `multiSeatInfo.revokedSeatQuantity`. It has no column: it is read from the payload.
    public var revokedSeatQuantity: Int64?
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

    public init() {}

    mutating func visit(_ visitor: inout some ColumnVisitor) {
        visitor.visit("signed_at", &signedAt)
        visitor.visit("original_transaction_id", &originalTransactionID)
        visitor.visit("transaction_id", &transactionID)
        visitor.visit("web_order_line_item_id", &webOrderLineItemID)
        visitor.visit("previous_original_transaction_id", &previousOriginalTransactionID)
        visitor.visit("app_transaction_id", &appTransactionID)
        visitor.visit("app_account_token", &appAccountToken)
        visitor.visit("product_id", &productID)
        visitor.visit("subscription_group_id", &subscriptionGroupID)
        visitor.visit("type", &type)
        visitor.visit("ownership", &ownership)
        visitor.visit("purchased_at", &purchasedAt)
        visitor.visit("originally_purchased_at", &originallyPurchasedAt)
        visitor.visit("expires_at", &expiresAt)
        visitor.visit("quantity", &quantity)
        visitor.visit("reason", &reason)
        visitor.visit("additional_reason", &additionalReason)
        visitor.visit("is_upgraded", &isUpgraded)
        visitor.visit("price", &price)
        visitor.visit("currency", &currency)
        visitor.visit("storefront", &storefront)
        visitor.visit("offer_type", &offerType)
        visitor.visit("offer_identifier", &offerIdentifier)
        visitor.visit("offer_discount_type", &offerDiscountType)
        visitor.visit("offer_period", &offerPeriod)
        visitor.visit("revoked_at", &revokedAt)
        visitor.visit("revocation_reason", &revocationReason)
        visitor.visit("revocation_type", &revocationType)
        visitor.visit("revocation_percentage", &revocationPercentage)
        visitor.visit("billing_plan", &billingPlan)
        visitor.visit("commitment_period", &commitmentPeriod)
        visitor.visit("commitment_periods", &commitmentPeriods)
        visitor.visit("sku", &sku)
    }
    /// The payload of a transaction that may have seats.
    static var addition: SQLText? {
        "CASE WHEN quantity IS NULL OR quantity > 1 OR additional_reason IS NOT NULL THEN payload END"
    }

    mutating func take(_ payload: [UInt8]) {
        let limits = JSONLimits(byteCount: 1 << 20, depth: 64)
        let document = try? JSONDocument.replacingUnreadable(in: payload.span, limits: limits)
        guard let root = document?.root, root.kind == .object, let seats = root.member("multiSeatInfo"),
            seats.kind == .object, let count = seats.member("revokedSeatQuantity")?.int64
        else { return }
        revokedSeatQuantity = Int64(Int32(exactly: count) ?? -1)
    }
}
