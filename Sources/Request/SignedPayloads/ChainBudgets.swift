internal import Cryptography

/// Limits how many chains a worker verifies in a time. Without a limit, a flood of chains could cost the worker any
/// amount of processor time.
struct ChainBudgets {
    /// Where a chain comes from, and what the verifier knows of it.
    enum Origin {
        /// A request presented the chain, and nothing of it is known.
        case unseen
        /// A request presented the chain, and its intermediate is already verified.
        case knownIntermediate
        /// Another worker sent the chain as a hint.
        case hint
        /// A payload whose signature is verified contains the chain, so no attacker chose it.
        case coveredBySignature
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

    /// Returns true when the chain with this digest may be verified now.
    mutating func admit(_ digest: SHA256Digest, _ origin: Origin, nowMilliseconds: Int64) -> Bool {
        switch origin {
        case .unseen: unseen.admit(digest, nowMilliseconds: nowMilliseconds)
        case .knownIntermediate: knownIntermediates.admit(digest, nowMilliseconds: nowMilliseconds)
        case .hint: hints.take(nowMilliseconds: nowMilliseconds)
        case .coveredBySignature: true
        }
    }
}
