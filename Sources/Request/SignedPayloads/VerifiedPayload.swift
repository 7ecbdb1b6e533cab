public import Cryptography

/// The proof that a payload passed every check: there is no other way to get one than from a
/// ``SignedPayloadVerifier``, and nothing behind it accepts a payload without.
public struct VerifiedPayload<Payload: Sendable>: Sendable {
    /// What was signed.
    public let payload: Payload
    /// SHA-256 of the anchor that vouched for it.
    public let anchor: SHA256Digest
    /// Whether the chain was known, so that only the signature had to be checked.
    public let chainWasCached: Bool

    init(payload: Payload, anchor: SHA256Digest, chainWasCached: Bool) {
        self.payload = payload
        self.anchor = anchor
        self.chainWasCached = chainWasCached
    }
}
