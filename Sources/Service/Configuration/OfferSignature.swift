/// The kind of promotional-offer signature made for an app.
public enum OfferSignature: String, Sendable, Hashable, CaseIterable {
    /// A compact JWS, Apple's second form and the only one accepted yet.
    case v2
}
