/// The instant at which the certificates behind a retention message must be valid.
public enum ValidityTime: String, Sendable, Hashable, CaseIterable {
    /// When the request is verified.
    case now
    /// When Apple says it signed the payload.
    case signedDate
}
