/// The form of the signatures of promotional offers.
public enum OfferSignature: String, Sendable, Hashable, CaseIterable {
    /// The first form: a DER signature over fields ("Generating a signature for promotional offers").
    case v1
    /// The second form: a JWS ("Generating JWS to sign App Store requests").
    case v2
}
