/// The form of the signatures made for promotional offers.
public enum OfferSignature: String, Sendable, Hashable, CaseIterable {
    /// The first form, fields signed as DER ("Generating a signature for promotional offers").
    case v1
    /// The JWS form ("Generating JWS to sign App Store requests").
    case v2
}
