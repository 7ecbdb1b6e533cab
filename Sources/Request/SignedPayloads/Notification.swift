internal import Cryptography
internal import JSON
public import System

/// The members of a notification that are looked at. It is never refused for a value that this version does not know: a value of the
/// wrong type or outside its range is nil, and ``unusableMembers`` names its member. Only `notificationType` and `notificationUUID`
/// must be there.
///
/// Source: Apple, App Store Server Notifications, responseBodyV2DecodedPayload (2.23).
public struct Notification: Sendable, Hashable {
    /// The member with the content. `appData` comes with RESCIND_CONSENT, `unclaimInfo` with UNCLAIM_SEATS.
    public enum Object: String, Sendable {
        case data, summary, externalPurchaseToken, appData, unclaimInfo
    }

    public let notificationType: NotificationType
    public let subtype: NotificationSubtype?
    /// The same for every delivery of the same notification. Any text, in practice a UUID.
    public let notificationUUID: String
    public let version: String?
    /// Milliseconds since 1970.
    public let signedDate: Int64?
    /// Nil when there is none that this version knows. The following members are those of the object.
    public let object: Object?
    /// Apple does not send it in the sandbox.
    public let appAppleId: Int64?
    public let bundleId: String?
    public let environment: String?
    public let bundleVersion: String?
    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; absent where there is no subscription.
    public let status: Int32?
    public let consumptionRequestReason: String?
    /// Of `summary` alone.
    public let productId: String?
    public let unusableMembers: [String]
}

extension Notification {
    private static let objects: [(Object, StaticString)] = [
        (.data, "data"), (.summary, "summary"), (.externalPurchaseToken, "externalPurchaseToken"),
        (.appData, "appData"), (.unclaimInfo, "unclaimInfo"),
    ]

    init(_ root: JSONValue) throws(VerificationError) {
        // Of any length: whoever keeps the notification shortens what does not fit.
        notificationType = NotificationType(
            rawValue: try SignedJSON.string("notificationType", of: root, byteCount: .max)
        )
        notificationUUID = try SignedJSON.string("notificationUUID", of: root, byteCount: .max)
        var reader = MemberReader()
        subtype = reader.string("subtype", of: root).map { NotificationSubtype(rawValue: $0) }
        version = reader.string("version", of: root)
        signedDate = reader.integer("signedDate", of: root)
        var found: (object: Object, members: JSONValue)?
        for (object, name) in Self.objects where found == nil {
            found = reader.object(name, of: root).map { (object, $0) }
        }
        object = found?.object
        appAppleId = reader.integer("appAppleId", of: found?.members)
        bundleId = reader.string("bundleId", of: found?.members)
        if found?.object == .externalPurchaseToken {
            // The object does not name it: the token's identifier begins with SANDBOX in the sandbox (Apple's server libraries,
            // SignedDataVerifier).
            let token = reader.string("externalPurchaseId", of: found?.members)
            environment = token?.hasPrefix("SANDBOX") == true ? "Sandbox" : "Production"
        } else {
            environment = reader.string("environment", of: found?.members)
        }
        let data = found?.object == .data ? found?.members : nil
        bundleVersion = reader.string("bundleVersion", of: data)
        status = reader.int32("status", of: data)
        consumptionRequestReason = reader.string("consumptionRequestReason", of: data)
        productId = reader.string("productId", of: found?.object == .summary ? found?.members : nil)
        unusableMembers = reader.unusable
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
        "FAILURE", "UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER", "SEATS",
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
