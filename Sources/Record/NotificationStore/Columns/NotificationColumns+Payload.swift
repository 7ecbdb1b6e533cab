internal import SignedPayloads

extension NotificationColumns: PayloadColumns {
    /// Takes the values of a verified notification. Its nested parts have columns of their own.
    init(_ content: Notification) {
        type = content.notificationType.rawValue
        subtype = content.subtype?.rawValue
        version = content.version
        signedAt = content.signedDate
        switch content.subject {
        case .data(let data):
            object = "data"
            appAppleID = data.appAppleId
            bundleVersion = data.bundleVersion
            status = data.status.map(Int64.init)
            consumptionRequestReason = data.consumptionRequestReason
        case .summary(let summary):
            object = "summary"
            appAppleID = summary.appAppleId
            productID = summary.productId
        case .externalPurchaseToken(let token):
            object = "externalPurchaseToken"
            appAppleID = token.appAppleId
        case .appData(let data):
            object = "appData"
            appAppleID = data.appAppleId
        case .unclaimInfo(let info):
            object = "unclaimInfo"
            appAppleID = info.appAppleId
        case .unknown: break
        }
    }

    static let members = [
        "subtype": ["subtype"], "version": ["version"], "signedDate": ["signed_at"],
        "appAppleId": ["app_apple_id"], "bundleVersion": ["bundle_version"], "status": ["status"],
        "consumptionRequestReason": ["consumption_request_reason"], "productId": ["product_id"],
    ]
}
