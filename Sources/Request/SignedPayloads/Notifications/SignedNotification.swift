/// A notification that passed every check, with its signed parts.
public struct SignedNotification: Sendable {
    /// The members of the notification.
    public let content: Notification
    /// The app and the environment that the notification belongs to.
    public let owner: PayloadOwner
    /// The JWS of the notification as received. Its payload contains the JWS of the parts.
    public let received: ReceivedJWS
    /// `data.signedTransactionInfo`; nil when it is absent.
    public let transaction: NotificationPart<Transaction>?
    /// `data.signedRenewalInfo`; nil when it is absent.
    public let renewalInfo: NotificationPart<RenewalInfo>?
    /// `appData.signedAppTransactionInfo`; nil when it is absent.
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
    /// The part is not a string, or did not pass.
    case failed(VerificationError)

    /// The content of a part that passed.
    public var content: Content? {
        if case .verified(let verified, _) = self { verified.payload.content } else { nil }
    }

    /// The error of a part that did not pass.
    public var error: VerificationError? {
        if case .failed(let error) = self { error } else { nil }
    }

    var place: Range<Int>? {
        if case .verified(_, let place) = self { place } else { nil }
    }
}
