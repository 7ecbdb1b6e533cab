internal import Cryptography
internal import JSON
public import System

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

public struct SignedNotification: Sendable {
    public let content: Notification
    public let owner: PayloadOwner
    public let received: ReceivedJWS
    public let transaction: NotificationPart<Transaction>?
    public let renewalInfo: NotificationPart<RenewalInfo>?
    public let appTransaction: NotificationPart<AppTransaction>?

    /// Each part that failed its own check: the member's name, and the error. The signature of the notification covers
    /// the parts, so such a notification is Apple's all the same; nothing may be derived from the part.
    public var failedParts: [(name: String, error: VerificationError)] {
        let errors = [
            ("signedTransactionInfo", transaction?.error), ("signedRenewalInfo", renewalInfo?.error),
            ("signedAppTransactionInfo", appTransaction?.error),
        ]
        return errors.compactMap { name, error in error.map { (name, $0) } }
    }
}

/// A JWS inside a notification, with the outcome of its own verification. A part is handed on several times, so it is kept in
/// one place and not copied.
public indirect enum NotificationPart<Content: Sendable>: Sendable {
    /// The part passed every check. `place` is where the text of its JWS is in the payload of the notification; nil when
    /// the text is written with escapes. The places of two parts never overlap.
    case verified(VerifiedPayload<Signed<Content>>, place: Range<Int>?)
    case failed(VerificationError)

    public var content: Content? {
        if case .verified(let verified, _) = self { verified.payload.content } else { nil }
    }

    public var error: VerificationError? {
        if case .failed(let error) = self { error } else { nil }
    }

    var place: Range<Int>? {
        if case .verified(_, let place) = self { place } else { nil }
    }
}

/// A verified JWS as it was received. The parts rebuild it byte for byte, so that a store can keep the header, which is
/// the same in millions of payloads, once.
public struct ReceivedJWS: Sendable, Hashable {
    public let header: [UInt8]
    public let payload: [UInt8]
    public let signature: [UInt8]

    /// Puts parts together that a store has kept. This is no proof that the signature is valid.
    public init(header: [UInt8], payload: [UInt8], signature: [UInt8]) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// The JWS in compact serialization, byte for byte as received: base64url without padding has one text for the same
    /// bytes, and the verifier accepts no other text.
    public var compact: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        text += header
        text.append(UInt8(ascii: "."))
        Base64URL.encode(payload.span, appendingTo: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.encode(signature.span, appendingTo: &text)
        return text
    }

    public var byteCount: Int {
        header.count + 2 + Base64URL.encodedCount(of: payload.count)
            + Base64URL.encodedCount(of: signature.count)
    }
}

public struct Signed<Content: Sendable>: Sendable {
    public let content: Content
    public let received: ReceivedJWS
}

public struct PayloadOwner: Sendable, Hashable {
    public let appAppleId: Int64
    public let bundleId: String
    public let environment: Environment

    init(_ app: AppIdentity, _ environment: Environment) {
        appAppleId = app.appAppleId
        bundleId = app.bundleId
        self.environment = environment
    }

    /// Checks the app that a payload names. One that names none belongs to the app of the payload or the call around it:
    /// Apple's old transactions have no bundle identifier. Throws `app-differs`.
    func check(bundleId other: String?, appAppleId number: Int64? = nil, unusable: [String])
        throws(VerificationError)
    {
        if let other, other != bundleId { throw VerificationError(.appDiffers, .bundle(other)) }
        if let number, number != appAppleId { throw VerificationError(.appDiffers, .app(number)) }
        guard unusable.allSatisfy({ $0 != "bundleId" && $0 != "appAppleId" }) else {
            throw .plain(.appDiffers)
        }
    }

    func check(environment name: String?) throws(VerificationError) {
        guard name == environment.rawValue else { throw .plain(.environmentDiffers) }
    }
}
