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

    /// Makes a set without values.
    public init() {}

    static let columns: [Column<Self>] = [
        Column("signed_at", \.signedAt), Column("app_transaction_id", \.appTransactionID),
        Column("app_apple_id", \.appAppleID), Column("application_version", \.applicationVersion),
        Column("original_application_version", \.originalApplicationVersion),
        Column("original_platform", \.originalPlatform),
        Column("originally_purchased_at", \.originallyPurchasedAt), Column("preordered_at", \.preorderedAt),
    ]
}
