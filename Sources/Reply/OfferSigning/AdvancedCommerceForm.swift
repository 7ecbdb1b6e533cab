public import Decisions

/// The form in which requests of the Advanced Commerce API are put into an answer.
///
/// Apple's documentation says that `advancedCommerceData` is a base64-encoded JSON object with a signed request in it, but
/// the page that says how it is built could not be read; the one form known is that of others who do it.
public enum AdvancedCommerceForm: String, Sendable, Hashable, CaseIterable {
    /// None is signed; rules that serve one are passed over.
    case off
    /// `{"signatureInfo":{"token":"<JWS>"}}`
    case signatureInfo

    /// What one signs who signs promotional offers, and requests in this form.
    public var capabilities: SigningCapabilities {
        switch self {
        case .off: .offers
        case .signatureInfo: .all
        }
    }
}
