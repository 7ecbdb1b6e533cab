internal import SignedPayloads

extension AppTransactionColumns: PayloadColumns {
    init(_ content: AppTransaction) {
        signedAt = content.receiptCreationDate
        appTransactionID = content.appTransactionId
        appAppleID = content.appAppleId
        applicationVersion = content.applicationVersion
        originalApplicationVersion = content.originalApplicationVersion
        originalPlatform = content.originalPlatform
        originallyPurchasedAt = content.originalPurchaseDate
        preorderedAt = content.preorderDate
    }

    static let members = [
        "receiptCreationDate": ["signed_at"], "appTransactionId": ["app_transaction_id"],
        "appAppleId": ["app_apple_id"], "applicationVersion": ["application_version"],
        "originalApplicationVersion": ["original_application_version"],
        "originalPlatform": ["original_platform"], "originalPurchaseDate": ["originally_purchased_at"],
        "preorderDate": ["preordered_at"],
    ]
}
