/// What an outcome needs beside its message: made for one request, never kept.
public enum OutcomeSignature: Sendable, Hashable {
    /// promotionalOfferSignatureV1
    case promotionalOfferV1(PromotionalOfferSignatureV1)
    /// promotionalOfferSignatureV2: a compact JWS (RFC 7515 section 7.1).
    case promotionalOfferV2(String)
    /// advancedCommerceData, base64.
    case advancedCommerce(String)
}
