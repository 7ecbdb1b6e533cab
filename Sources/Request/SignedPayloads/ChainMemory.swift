internal import Cryptography

/// Remembers verified chains, verified intermediates and refused chains. Each kind has its own bounded memory, so a
/// flood of refusals cannot push out a chain in use.
struct ChainMemory {
    /// The key of a verified intermediate. An intermediate counts as verified only under the anchor that it was
    /// verified with.
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

    /// Returns the chain with this digest; nil when it was never verified or is forgotten.
    mutating func chain(_ digest: SHA256Digest) -> TrustedChain? { verified.value(for: digest) }

    /// Returns why the chain with this digest was refused; nil when it was never refused or the refusal is forgotten.
    mutating func refusal(_ digest: SHA256Digest) -> VerificationError? { refused.value(for: digest) }

    /// Returns true when the intermediate was part of a verified chain that is remembered.
    mutating func knows(_ intermediate: Intermediate) -> Bool {
        intermediates.value(for: intermediate) != nil
    }

    /// Remembers a verified chain and its intermediate.
    mutating func remember(_ chain: TrustedChain, _ digest: SHA256Digest, _ intermediate: Intermediate) {
        verified.insert(chain, for: digest)
        intermediates.insert(true, for: intermediate)
    }

    /// Remembers why a chain was refused. A failure of OpenSSL is not remembered, because it says nothing about the
    /// chain.
    mutating func remember(_ error: VerificationError, _ digest: SHA256Digest) {
        if error.refusal != .opensslFailure { refused.insert(error, for: digest) }
    }
}
