internal import Cryptography
public import System

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
