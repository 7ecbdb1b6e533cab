/// The members of a notification: Apple's responseBodyV2DecodedPayload.
///
/// A notification is never refused for a value that this version does not know. A value of the wrong type or outside its
/// range is nil, and ``unusableMembers`` names its member. Only `notificationType` and `notificationUUID` must be there:
/// without them a payload is no notification.
///
/// Source: Apple, App Store Server Notifications, responseBodyV2DecodedPayload (2.23).
public struct Notification: Sendable, Hashable {
    /// `notificationType`: the event.
    public let notificationType: NotificationType
    /// `subtype`: what kind of the event, where Apple names one.
    public let subtype: NotificationSubtype?
    /// `notificationUUID`: the same for every delivery of the same notification. Any text, in practice a UUID.
    public let notificationUUID: String
    /// `version`: `2.0`.
    public let version: String?
    /// `signedDate`: when Apple signed the notification, milliseconds since 1970.
    public let signedDate: Int64?
    /// The object that says what the notification is about.
    public let subject: NotificationSubject
    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    public let unusableMembers: [String]
}

/// What a notification is about. Apple sends exactly one of these objects.
public enum NotificationSubject: Sendable, Hashable {
    /// `data`: a purchase or a subscription, or nothing but an app (TEST).
    case data(NotificationData)
    /// `summary`: the result of an extension of many subscriptions.
    case summary(NotificationSummary)
    /// `externalPurchaseToken`: a token of a purchase outside of the App Store.
    case externalPurchaseToken(ExternalPurchaseToken)
    /// `appData`: an app and its download.
    case appData(AppData)
    /// `unclaimInfo`: seats of a group that were taken back.
    case unclaimInfo(UnclaimInfo)
    /// None of the objects above.
    case unknown
}

/// The members of `data`, except for the two signed parts.
public struct NotificationData: Sendable, Hashable {
    /// `appAppleId`: Apple's number of the app. Apple does not send it in the sandbox.
    public let appAppleId: Int64?
    /// `bundleId`: the bundle identifier of the app.
    public let bundleId: String?
    /// `environment`: `Production`, `Sandbox` or another word.
    public let environment: String?
    /// `bundleVersion`: the version of the build.
    public let bundleVersion: String?
    /// `status`: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; absent where there is no subscription.
    public let status: Int32?
    /// `consumptionRequestReason`: why the customer wants a refund, with CONSUMPTION_REQUEST alone.
    public let consumptionRequestReason: String?
}

/// The members of `summary`, which comes with RENEWAL_EXTENSION and SUMMARY.
public struct NotificationSummary: Sendable, Hashable {
    /// `appAppleId`: Apple's number of the app.
    public let appAppleId: Int64?
    /// `bundleId`: the bundle identifier of the app.
    public let bundleId: String?
    /// `environment`: `Production`, `Sandbox` or another word.
    public let environment: String?
    /// `productId`: the product whose subscriptions were extended.
    public let productId: String?
    /// `requestIdentifier`: the UUID of the request for the extension.
    public let requestIdentifier: String?
    /// `storefrontCountryCodes`: the countries of the request; absent for all.
    public let storefrontCountryCodes: [String]?
    /// `succeededCount`: how many subscriptions were extended.
    public let succeededCount: Int64?
    /// `failedCount`: how many subscriptions could not be extended.
    public let failedCount: Int64?
}

/// The members of `externalPurchaseToken`, which comes with EXTERNAL_PURCHASE_TOKEN.
public struct ExternalPurchaseToken: Sendable, Hashable {
    /// `appAppleId`: Apple's number of the app.
    public let appAppleId: Int64?
    /// `bundleId`: the bundle identifier of the app.
    public let bundleId: String?
    /// `externalPurchaseId`: the identifier of the token. It begins with `SANDBOX` in the sandbox.
    public let externalPurchaseId: String?
    /// `tokenCreationDate`: when Apple made the token, milliseconds since 1970.
    public let tokenCreationDate: Int64?
    /// `tokenExpirationDate`: when the token ends, milliseconds since 1970. For custom links alone.
    public let tokenExpirationDate: Int64?
    /// `tokenType`: `SERVICES`, `ACQUISITION`, `CORE_TECHNOLOGY`.
    public let tokenType: String?
}

/// The members of `appData`, except for the signed part. It comes with RESCIND_CONSENT.
public struct AppData: Sendable, Hashable {
    /// `appAppleId`: Apple's number of the app.
    public let appAppleId: Int64?
    /// `bundleId`: the bundle identifier of the app.
    public let bundleId: String?
    /// `environment`: `Production`, `Sandbox` or another word.
    public let environment: String?
}

/// The members of `unclaimInfo`, which comes with UNCLAIM_SEATS. Apple's page was not readable as a whole; the members of
/// the identity are those of the other objects, and may be absent.
public struct UnclaimInfo: Sendable, Hashable {
    /// `appAppleId`: Apple's number of the app.
    public let appAppleId: Int64?
    /// `bundleId`: the bundle identifier of the app.
    public let bundleId: String?
    /// `environment`: `Production`, `Sandbox` or another word.
    public let environment: String?
    /// `unclaimSeatIds`: the identifiers of the seats.
    public let unclaimSeatIds: [String]?
}
