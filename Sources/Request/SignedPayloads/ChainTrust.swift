internal import Cryptography

/// Decides whether a presented chain is trusted. It looks into the memory first, then asks the budget, then verifies
/// the chain.
struct ChainTrust {
    private let anchors: [TrustedAnchor]
    private var memory = ChainMemory()
    private var admission: ChainAdmission
    private var hints = TokenBucket(.hinted)
    /// Chains that vouched for a payload and that ``takeVerifiedChain()`` has not returned yet.
    private var fresh: [ChainBytes] = []
    /// The certificates of chains that vouched for a payload and that ``takeUsedCertificates()`` has not returned yet.
    private var used: [UsedCertificate] = []
    /// How often the memories saved work.
    private(set) var counts = VerifierCounts()

    /// A trusted chain, and whether it was known before.
    struct TrustResult {
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
        admission = ChainAdmission(policy.unseenChains, returning: policy.returningChains)
    }

    /// Who presents a chain. It decides which budget the verification draws on, so that a flood of invented chains cannot
    /// keep out hints.
    enum Presenter {
        /// A request that nobody has verified yet.
        case request
        /// Another worker, as a hint.
        case worker
        /// A payload whose signature is verified. Its chains are verified without a budget.
        case verifiedPayload
    }

    /// Returns the trusted chain for the presented certificates.
    ///
    /// - Throws: `anchor-unknown`, `x5c-not-der`, `chain-budget`, or the error of ``TrustedAnchor``.
    mutating func trust(_ presented: ChainBytes, by presenter: Presenter = .request, nowMilliseconds: Int64)
        throws(VerificationError) -> TrustResult
    {
        let root = presented.certificates[2]
        guard let anchor = anchors.first(where: { $0.certificate.der == root }) else {
            throw .plain(.anchorUnknown)
        }
        let digest = presented.digest
        if let chain = memory.chain(digest) {
            counts.chainCacheHits += 1
            return TrustResult(chain: chain, wasCached: true)
        }
        if let error = memory.refusal(digest) {
            counts.chainFailureHits += 1
            throw error
        }
        // A certificate that is not in canonical DER may be a copy of a good one, changed where nothing is signed. Such
        // a chain is never verified and never remembered.
        guard presented.certificates.allSatisfy({ Certificate.hasCanonicalUnsignedPart($0.span) }) else {
            throw .plain(.x5cNotDER)
        }
        let isAdmitted =
            switch presenter {
            case .request: admission.admit(digest, nowMilliseconds: nowMilliseconds)
            case .worker: hints.take(nowMilliseconds: nowMilliseconds)
            case .verifiedPayload: true
            }
        guard isAdmitted else { throw .plain(.chainBudget) }
        let issuer = presented.certificates[1]
        let intermediate = ChainMemory.Intermediate(
            certificate: SHA256.hash(issuer.span), anchor: anchor.fingerprint)
        let isKnown = memory.knows(intermediate)
        counts.chainCacheMisses += 1
        do throws(VerificationError) {
            let chain = try anchor.verify(presented, issuerIsVerified: isKnown)
            memory.remember(chain, digest, intermediate)
            return TrustResult(chain: chain, wasCached: false)
        } catch {
            memory.remember(error, digest)
            throw error
        }
    }

    /// Counts a chain that was found through its known header.
    mutating func countKnownChain() {
        counts.chainCacheHits += 1
    }

    /// Notes that a payload passed every check with this chain. Only such a chain is sent to the other workers, and
    /// only once.
    ///
    /// Anybody who has Apple's public certificates can present good chains, but cannot sign with them.
    mutating func noteTrusted(_ chain: TrustedChain, presentedAs presented: ChainBytes) {
        guard !chain.isNotedForSending else { return }
        chain.isNotedForSending = true
        if fresh.count < SignedPayloadsLimits.hints { fresh.append(presented) }
    }

    /// Notes the certificates of a chain with which a payload passed every check, at most once a minute for each chain. So
    /// nobody can add certificates here but those who can sign.
    mutating func noteUse(of chain: TrustedChain, atMilliseconds now: Int64) {
        if let last = chain.useNotedAt {
            let (passed, overflow) = now.subtractingReportingOverflow(last)
            guard overflow || passed.magnitude >= SignedPayloadsLimits.useMilliseconds else { return }
        }
        chain.useNotedAt = now
        if used.count < SignedPayloadsLimits.usedCertificates { used += chain.certificates }
    }

    /// Returns the certificates that were noted since the last call.
    mutating func takeUsedCertificates() -> [UsedCertificate] {
        guard !used.isEmpty else { return [] }
        defer { used = [] }
        return used
    }

    /// The configured roots.
    var anchorCertificates: [UsedCertificate] {
        anchors.compactMap { UsedCertificate($0.certificate, as: .anchor) }
    }

    /// Returns the next chain that vouched for a payload, to be sent to other workers; nil when there is no further
    /// chain.
    mutating func takeVerifiedChain() -> ChainBytes? {
        fresh.isEmpty ? nil : fresh.removeFirst()
    }
}
