public import Decisions

/// The form in which an answer carries a request of the Advanced Commerce API.
///
/// Apple's documentation has one form: the data is the base64 of a JSON object with a signed request in it (Apple,
/// "advancedCommerceData", Retention Messaging API).
public enum AdvancedCommerceForm: String, Sendable, Hashable, CaseIterable {
    /// The service signs no such request and passes over rules that serve one.
    case off
    /// The JSON object is `{"signatureInfo":{"token":"<JWS>"}}`.
    case signatureInfo

    /// What a signer with this form signs: promotional offers, and with `signatureInfo` Advanced Commerce requests,
    /// too.
    public var capabilities: SigningCapabilities {
        switch self {
        case .off: .offers
        case .signatureInfo: .all
        }
    }
}
