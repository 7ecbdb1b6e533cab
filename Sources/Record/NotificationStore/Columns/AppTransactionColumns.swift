/// The values of an app transaction (Apple, JWSAppTransactionDecodedPayload) that have columns in `app_transactions`. Dates
/// are milliseconds since 1970.
public struct AppTransactionColumns: TableColumns {
    /// `receiptCreationDate`.
    public var signedAt: Int64?
    /// `appTransactionId`.
    public var appTransactionID: String?
    /// `appAppleId`.
    public var appAppleID: Int64?
    /// `applicationVersion`.
    public var applicationVersion: String?
    /// `originalApplicationVersion`.
    public var originalApplicationVersion: String?
    /// `originalPlatform`.
    public var originalPlatform: String?
    /// `originalPurchaseDate`.
    public var originallyPurchasedAt: Int64?
    /// `preorderDate`.
    public var preorderedAt: Int64?

    public init() {}

    mutating func visit(_ visitor: inout some ColumnVisitor) {
        visitor.visit("signed_at", &signedAt)
        visitor.visit("app_transaction_id", &appTransactionID)
        visitor.visit("app_apple_id", &appAppleID)
        visitor.visit("application_version", &applicationVersion)
        visitor.visit("original_application_version", &originalApplicationVersion)
        visitor.visit("original_platform", &originalPlatform)
        visitor.visit("originally_purchased_at", &originallyPurchasedAt)
        visitor.visit("preordered_at", &preorderedAt)
    }
}
