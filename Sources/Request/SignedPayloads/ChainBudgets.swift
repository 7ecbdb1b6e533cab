internal import Cryptography

/// How many chains may be verified in a time: what verifying costs is what a flood of chains could cost the worker.
struct ChainBudgets {
    /// Who brings a chain, and what is known of it.
    enum Origin {
        /// A request; nothing of the chain is known.
        case unseen
        /// A request; the intermediate is verified.
        case knownIntermediate
        /// Another worker.
        case hint
    }

    private var unseen: ChainAdmission
    private var knownIntermediates: ChainAdmission
    private var hints = TokenBucket(.hinted)

    init(_ policy: VerificationPolicy) {
        var generator = SystemRandomNumberGenerator()
        unseen = ChainAdmission(
            policy.unseenChains,
            returning: policy.returningUnseenChains,
            seed: generator.next()
        )
        knownIntermediates = ChainAdmission(
            policy.knownIntermediates,
            returning: policy.returningChains,
            seed: generator.next()
        )
    }

    /// Whether the chain with this digest may be verified now.
    mutating func admit(_ digest: SHA256Digest, _ origin: Origin, nowMilliseconds: Int64) -> Bool {
        switch origin {
        case .unseen: unseen.admit(digest, nowMilliseconds: nowMilliseconds)
        case .knownIntermediate: knownIntermediates.admit(digest, nowMilliseconds: nowMilliseconds)
        case .hint: hints.take(nowMilliseconds: nowMilliseconds)
        }
    }
}
