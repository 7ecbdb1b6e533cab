internal import Cryptography

/// Remembers verified chains, verified intermediates and refused chains, each in a bounded memory of their own, so that no
/// flood of refusals can push out a chain in use.
struct ChainMemory {
    /// An intermediate counts as verified under one anchor only.
    struct Intermediate: Hashable {
        let certificate: SHA256Digest
        let anchor: SHA256Digest
    }

    private var verified = LeastRecentlyUsed<SHA256Digest, TrustedChain>(
        capacity: SignedPayloadsLimits.verifiedChains
    )
    private var refused = LeastRecentlyUsed<SHA256Digest, VerificationError>(
        capacity: SignedPayloadsLimits.refusedChains
    )
    private var intermediates = LeastRecentlyUsed<Intermediate, Bool>(
        capacity: SignedPayloadsLimits.intermediates
    )

    /// The chain with this digest; nil when it was never verified, or is forgotten.
    mutating func chain(_ digest: SHA256Digest) -> TrustedChain? { verified.value(for: digest) }

    /// Why the chain with this digest was refused; nil when it never was, or is forgotten.
    mutating func refusal(_ digest: SHA256Digest) -> VerificationError? { refused.value(for: digest) }

    /// Whether the intermediate was part of a verified chain.
    mutating func knows(_ intermediate: Intermediate) -> Bool {
        intermediates.value(for: intermediate) != nil
    }

    /// Remembers a chain that was verified, and its intermediate.
    mutating func remember(_ chain: TrustedChain, _ digest: SHA256Digest, _ intermediate: Intermediate) {
        verified.insert(chain, for: digest)
        intermediates.insert(true, for: intermediate)
    }

    /// Remembers why a chain was refused. A fault of the library says nothing about the chain.
    mutating func remember(_ error: VerificationError, _ digest: SHA256Digest) {
        if error.refusal != .opensslFailure { refused.insert(error, for: digest) }
    }
}
