internal import System

/// The object that says what a notification is about. A notification has exactly one.
///
/// Source: Apple, App Store Server Notifications, responseBodyV2DecodedPayload (2.23).
package enum NotificationObject: String, Sendable, Hashable, CaseIterable {
    case data, summary, externalPurchaseToken, appData, unclaimInfo

    /// Writes the object's members, and the parts that it has.
    func fill(
        _ payload: inout NotificationPayload, from sample: SubscriptionSample, uuid: UUID, signedDate: Int64
    ) {
        payload.object.set("appAppleId", number: sample.sentAppAppleId)
        payload.object.set("bundleId", text: sample.bundleId)
        if self != .externalPurchaseToken { payload.object.set("environment", text: sample.environment) }
        switch self {
        case .data:
            payload.object.set("bundleVersion", text: "42")
            payload.transaction = sample.transaction(signedDate: signedDate)
            payload.renewalInfo = sample.renewalInfo(signedDate: signedDate)
            payload.object.set("status", number: 1)
        case .summary:
            payload.object.set("productId", text: sample.productId)
            payload.object.set("requestIdentifier", text: uuid.description)
            payload.object.set("storefrontCountryCodes", texts: [sample.storefront])
            payload.object.set("succeededCount", number: 5)
            payload.object.set("failedCount", number: 2)
        case .externalPurchaseToken:
            let prefix = sample.environment == Environment.sandbox.rawValue ? "SANDBOX_" : ""
            payload.object.set("externalPurchaseId", text: prefix + uuid.description)
            payload.object.set("tokenCreationDate", number: signedDate - 3_600_000)
        case .appData:
            payload.appTransaction = sample.appTransaction(signedDate: signedDate)
        case .unclaimInfo:
            payload.object.set("unclaimSeatIds", texts: [uuid.description])
        }
    }
}
