internal import Cryptography

/// Decides whether a presented chain is trusted: memory first, then the budget, then the check itself.
struct ChainTrust {
    private let anchors: [TrustedAnchor]
    private var memory = ChainMemory()
    private var budgets: ChainBudgets
    /// Chains that vouched for a payload and were not yet taken by ``takeVerifiedChain()``.
    private var fresh: [ChainBytes] = []
    /// How often the memories helped.
    private(set) var counts = VerifierCounts()

    /// What was found and whether it was known before.
    struct Finding {
        let chain: TrustedChain
        let wasCached: Bool
    }

    init(policy: VerificationPolicy) throws(AnchorError) {
        var anchors: [TrustedAnchor] = []
        for certificate in policy.anchors + policy.apps.flatMap({ $0.anchors ?? [] })
        where !anchors.contains(where: { $0.certificate.der == certificate.der }) {
            anchors.append(try TrustedAnchor(certificate))
        }
        guard !anchors.isEmpty else { throw .none }
        self.anchors = anchors
        budgets = ChainBudgets(policy)
    }

    /// The trusted chain for what was presented; a hint draws on a budget of its own.
    mutating func trust(
        _ presented: ChainBytes,
        isHint: Bool = false,
        nowMilliseconds: Int64
    ) throws(VerificationError) -> Finding {
        let root = presented.certificates[2]
        guard let anchor = anchors.first(where: { $0.certificate.der == root }) else {
            throw .plain(.anchorUnknown)
        }
        let digest = presented.digest
        if let chain = memory.chain(digest) {
            counts.chainCacheHits += 1
            return Finding(chain: chain, wasCached: true)
        }
        if let error = memory.refusal(digest) {
            counts.chainFailureHits += 1
            throw error
        }
        // Copies of a good chain that differ where nothing is signed: they are never verified and never remembered.
        guard presented.certificates.allSatisfy({ Certificate.hasCanonicalFrame($0.span) }) else {
            throw .plain(.x5cNotDER)
        }
        let issuer = presented.certificates[1]
        let intermediate = ChainMemory.Intermediate(
            certificate: SHA256.hash(issuer.span),
            anchor: anchor.fingerprint
        )
        let isKnown = memory.knows(intermediate)
        let origin: ChainBudgets.Origin = isHint ? .hint : isKnown ? .knownIntermediate : .unseen
        guard budgets.admit(digest, origin, nowMilliseconds: nowMilliseconds) else {
            throw .plain(.chainBudget)
        }
        counts.chainCacheMisses += 1
        do throws(VerificationError) {
            let chain = try anchor.verify(presented, issuerIsVerified: isKnown)
            memory.remember(chain, digest, intermediate)
            return Finding(chain: chain, wasCached: false)
        } catch {
            memory.remember(error, digest)
            throw error
        }
    }

    /// Counts a chain that was known by the header it stood in.
    mutating func countHeader() {
        counts.headerMemoHits += 1
    }

    /// Notes that a payload passed every check with this chain: only that makes it worth telling others, once.
    ///
    /// Whoever has Apple's public certificates can present good chains, but cannot sign with them.
    mutating func noteVouched(_ chain: TrustedChain, presentedAs presented: ChainBytes) {
        guard !chain.isTold else { return }
        chain.isTold = true
        if fresh.count < SignedPayloadsLimits.hints { fresh.append(presented) }
    }

    /// The next chain that vouched for a payload since the last call, to be handed to other workers.
    mutating func takeVerifiedChain() -> ChainBytes? {
        fresh.isEmpty ? nil : fresh.removeFirst()
    }
}
