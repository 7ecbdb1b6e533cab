internal import JSON
internal import System

/// The members of a notification. It is never refused for a value that this version does not know: a value of the wrong type
/// or outside its range is nil, and ``unusableMembers`` names its member. Only `notificationType` and `notificationUUID`
/// must be there.
///
/// Source: Apple, App Store Server Notifications, responseBodyV2DecodedPayload (2.23).
public struct Notification: Sendable, Hashable {
    public let notificationType: NotificationType
    public let subtype: NotificationSubtype?
    /// `notificationUUID`: the same for every delivery of the same notification. Any text, in practice a UUID.
    public let notificationUUID: String
    public let version: String?
    /// Milliseconds since 1970.
    public let signedDate: Int64?
    public let subject: NotificationSubject
    public let unusableMembers: [String]
}

/// What a notification is about. Apple sends exactly one of these objects.
public enum NotificationSubject: Sendable, Hashable {
    case data(NotificationData)
    case summary(NotificationSummary)
    case externalPurchaseToken(ExternalPurchaseToken)
    case appData(AppData)
    case unclaimInfo(UnclaimInfo)
    case unknown
}

/// The members of `data`, except for the two signed parts.
public struct NotificationData: Sendable, Hashable {
    /// Apple does not send it in the sandbox.
    public let appAppleId: Int64?
    public let bundleId: String?
    public let environment: String?
    public let bundleVersion: String?
    /// `status`: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; absent where there is no subscription.
    public let status: Int32?
    public let consumptionRequestReason: String?
}

public struct NotificationSummary: Sendable, Hashable {
    public let appAppleId: Int64?
    public let bundleId: String?
    public let environment: String?
    public let productId: String?
    public let requestIdentifier: String?
    /// `storefrontCountryCodes`: the countries of the request; absent for all.
    public let storefrontCountryCodes: [String]?
    public let succeededCount: Int64?
    public let failedCount: Int64?
}

public struct ExternalPurchaseToken: Sendable, Hashable {
    public let appAppleId: Int64?
    public let bundleId: String?
    /// `externalPurchaseId`: the identifier of the token. It begins with `SANDBOX` in the sandbox.
    public let externalPurchaseId: String?
    public let tokenCreationDate: Int64?
    /// `tokenExpirationDate`: when the token ends, milliseconds since 1970. For custom links alone.
    public let tokenExpirationDate: Int64?
    public let tokenType: String?
}

/// The members of `appData`, except for the signed part. It comes with RESCIND_CONSENT.
public struct AppData: Sendable, Hashable {
    public let appAppleId: Int64?
    public let bundleId: String?
    public let environment: String?
}

/// The members of `unclaimInfo`, which comes with UNCLAIM_SEATS. Apple's page was not readable as a whole; the members of
/// the identity are those of the other objects, and may be absent.
public struct UnclaimInfo: Sendable, Hashable {
    public let appAppleId: Int64?
    public let bundleId: String?
    public let environment: String?
    public let unclaimSeatIds: [String]?
}

extension Notification {
    init(_ object: JSONValue) throws(VerificationError) {
        // Of any length: whoever keeps the notification shortens what does not fit.
        notificationType = NotificationType(
            rawValue: try SignedJSON.string("notificationType", of: object, byteCount: .max)
        )
        notificationUUID = try SignedJSON.string("notificationUUID", of: object, byteCount: .max)
        var reader = MemberReader()
        subtype = reader.string("subtype", of: object).map { NotificationSubtype(rawValue: $0) }
        version = reader.string("version", of: object)
        signedDate = reader.integer("signedDate", of: object)
        subject = NotificationSubject(object, &reader)
        unusableMembers = reader.unusable
    }
}

extension NotificationSubject {
    /// Reads the first object that is there, in the order of Apple's libraries.
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        if let data = reader.object("data", of: object) {
            self = .data(NotificationData(data, &reader))
        } else if let summary = reader.object("summary", of: object) {
            self = .summary(NotificationSummary(summary, &reader))
        } else if let token = reader.object("externalPurchaseToken", of: object) {
            self = .externalPurchaseToken(ExternalPurchaseToken(token, &reader))
        } else if let data = reader.object("appData", of: object) {
            self = .appData(AppData(data, &reader))
        } else if let info = reader.object("unclaimInfo", of: object) {
            self = .unclaimInfo(UnclaimInfo(info, &reader))
        } else {
            self = .unknown
        }
    }
}

extension NotificationData {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        bundleVersion = reader.string("bundleVersion", of: object)
        status = reader.int32("status", of: object)
        consumptionRequestReason = reader.string("consumptionRequestReason", of: object)
    }
}

extension NotificationSummary {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        productId = reader.string("productId", of: object)
        requestIdentifier = reader.string("requestIdentifier", of: object)
        storefrontCountryCodes = reader.strings("storefrontCountryCodes", of: object)
        succeededCount = reader.integer("succeededCount", of: object)
        failedCount = reader.integer("failedCount", of: object)
    }
}

extension ExternalPurchaseToken {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        externalPurchaseId = reader.string("externalPurchaseId", of: object)
        tokenCreationDate = reader.date("tokenCreationDate", of: object)
        tokenExpirationDate = reader.date("tokenExpirationDate", of: object)
        tokenType = reader.string("tokenType", of: object)
    }
}

extension AppData {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
    }
}

extension UnclaimInfo {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        unclaimSeatIds = reader.strings("unclaimSeatIds", of: object)
    }
}

struct NotificationIdentity {
    var bundleId: String?
    var appAppleId: Int64?
    var environment: String?

    init(_ bundleId: String?, _ appAppleId: Int64?, _ environment: String?) {
        (self.bundleId, self.appAppleId, self.environment) = (bundleId, appAppleId, environment)
    }
}

extension NotificationSubject {
    var identity: NotificationIdentity? {
        switch self {
        case .data(let data): NotificationIdentity(data.bundleId, data.appAppleId, data.environment)
        case .summary(let data): NotificationIdentity(data.bundleId, data.appAppleId, data.environment)
        case .externalPurchaseToken(let data):
            NotificationIdentity(data.bundleId, data.appAppleId, data.environment.rawValue)
        case .appData(let data): NotificationIdentity(data.bundleId, data.appAppleId, data.environment)
        case .unclaimInfo(let data): NotificationIdentity(data.bundleId, data.appAppleId, data.environment)
        case .unknown: nil
        }
    }
}

extension ExternalPurchaseToken {
    /// The environment. The object does not name it: the token's identifier begins with `SANDBOX` in the sandbox.
    ///
    /// Source: Apple's server libraries, SignedDataVerifier.
    var environment: Environment {
        externalPurchaseId?.hasPrefix("SANDBOX") == true ? .sandbox : .production
    }
}

/// The event of a notification. Any text is a type; ``known`` has those that Apple has documented.
///
/// Source: Apple, App Store Server Notifications, notificationType (2.23) and the models of Apple's server libraries.
public struct NotificationType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let test = NotificationType(rawValue: "TEST")

    /// The documented types. Labels of metrics come from this list, so that their number is bounded.
    public static let known: [NotificationType] = [
        "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
        "REFUND_REVERSED", "CONSUMPTION_REQUEST", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION",
        "ONE_TIME_CHARGE", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION",
        "PRICE_CHANGE", "UNCLAIM_SEATS", "TEST",
    ].map { NotificationType(rawValue: $0) }
}

/// What kind of its type a notification is. Any text is a subtype; ``known`` has those that Apple has documented.
///
/// Source: Apple, App Store Server Notifications, subtype (2.23).
public struct NotificationSubtype: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let known: [NotificationSubtype] = [
        "INITIAL_BUY", "RESUBSCRIBE", "UPGRADE", "DOWNGRADE", "INCREASE_QUANTITY", "DECREASE_QUANTITY",
        "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED", "VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE",
        "PRODUCT_NOT_FOR_SALE", "GRACE_PERIOD", "BILLING_RECOVERY", "PENDING", "ACCEPTED", "SUMMARY",
        "FAILURE",
        "UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER", "SEATS",
    ].map { NotificationSubtype(rawValue: $0) }
}
