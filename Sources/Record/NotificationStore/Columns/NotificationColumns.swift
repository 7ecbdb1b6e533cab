/// The values of a notification's payload (Apple, responseBodyV2DecodedPayload) that have columns in `notifications`.
public struct NotificationColumns: TableColumns {
    /// `notificationType`.
    public var type: String?
    /// `subtype`.
    public var subtype: String?
    /// `version` of the notification, such as `2.0`.
    public var version: String?
    /// `signedDate`, milliseconds since 1970.
    public var signedAt: Int64?
    /// The name of the member that has the content: `data`, `summary`, `externalPurchaseToken`, `appData`, `unclaimInfo`.
    public var object: String?
    /// `appAppleId` of that member.
    public var appAppleID: Int64?
    /// `data.bundleVersion`.
    public var bundleVersion: String?
    /// `data.status`: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    public var status: Int64?
    /// `data.consumptionRequestReason`.
    public var consumptionRequestReason: String?
    /// `originalTransactionId` of the nested transaction, or else of the nested renewal info.
    public var originalTransactionID: String?
    /// `transactionId` of the nested transaction.
    public var transactionID: String?
    /// `productId` of the nested transaction, or else of the nested renewal info, or else of `summary`.
    public var productID: String?
    /// `appTransactionId` of a nested part.
    public var appTransactionID: String?

    public init() {}

    mutating func visit(_ visitor: inout some ColumnVisitor) {
        visitor.visit("type", &type)
        visitor.visit("subtype", &subtype)
        visitor.visit("version", &version)
        visitor.visit("signed_at", &signedAt)
        visitor.visit("object", &object)
        visitor.visit("app_apple_id", &appAppleID)
        visitor.visit("bundle_version", &bundleVersion)
        visitor.visit("status", &status)
        visitor.visit("consumption_request_reason", &consumptionRequestReason)
        visitor.visit("original_transaction_id", &originalTransactionID)
        visitor.visit("transaction_id", &transactionID)
        visitor.visit("product_id", &productID)
        visitor.visit("app_transaction_id", &appTransactionID)
    }
}
