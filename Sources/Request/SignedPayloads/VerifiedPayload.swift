public import Cryptography

/// A payload with the proof that it passed every check. Only a ``SignedPayloadVerifier`` can make this value, and the
/// rest of the service accepts no payload without it.
public struct VerifiedPayload<Payload: Sendable>: Sendable {
    /// The content of the signed payload.
    public let payload: Payload
    /// The SHA-256 of the anchor that vouched for the payload.
    public let anchor: SHA256Digest
    /// True when the chain was already known, so that only the signature had to be checked.
    public let chainWasCached: Bool

    init(payload: Payload, anchor: SHA256Digest, chainWasCached: Bool) {
        self.payload = payload
        self.anchor = anchor
        self.chainWasCached = chainWasCached
    }
}
