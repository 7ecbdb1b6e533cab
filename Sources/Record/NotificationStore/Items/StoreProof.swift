public import SignedPayloads

/// The proof that a JWS passed every check of a `SignedPayloadVerifier`. Nothing is stored without one.
///
/// This initializer is the only place where a proof is made, so it is the place where a kind of payload becomes storable.
public struct StoreProof: Sendable {
    public init<Payload>(_ payload: VerifiedPayload<Payload>) {}
}
