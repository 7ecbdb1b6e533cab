internal import Cryptography

/// Decides whether a presented chain is trusted, and remembers the outcome: verified chains, verified intermediates
/// and refused chains each in a bounded memory of their own, so that no flood of refusals can push out a chain in use.
struct ChainTrust {
    private let anchors: [TrustedAnchor]
    private var verified = LeastRecentlyUsed<SHA256Digest, TrustedChain>(
        capacity: SignedPayloadsLimits.verifiedChains
    )
    private var refused = LeastRecentlyUsed<SHA256Digest, Refusal>(
        capacity: SignedPayloadsLimits.refusedChains
    )
    private var intermediates = LeastRecentlyUsed<IntermediateKey, Bool>(
        capacity: SignedPayloadsLimits.intermediates
    )
    private var unseenChains: ChainAdmission
    private var knownIntermediates: ChainAdmission
    private var hints = TokenBucket(.hinted)
    /// Chains that vouched for a payload and were not yet taken by ``takeVerifiedChain()``.
    private var fresh: [ChainBytes] = []
    /// OpenSSL's reason for the last refusal.
    private(set) var lastFailure: ChainFailure?
    /// How often the memories helped.
    private(set) var counts = VerifierCounts()

    /// An intermediate counts as verified under one anchor only.
    private struct IntermediateKey: Hashable {
        let intermediate: SHA256Digest
        let anchor: SHA256Digest
    }

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
        var generator = SystemRandomNumberGenerator()
        unseenChains = ChainAdmission(
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

    /// The trusted chain for what was presented; a hint draws on a budget of its own.
    mutating func trust(
        _ presented: ChainBytes,
        isHint: Bool = false,
        nowMilliseconds: Int64
    ) throws(Refusal) -> Finding {
        let root = presented.certificates[2]
        guard let anchor = anchors.first(where: { $0.certificate.der == root }) else { throw .anchorUnknown }
        let digest = presented.digest
        if let chain = verified.value(for: digest) {
            counts.chainCacheHits += 1
            return Finding(chain: chain, wasCached: true)
        }
        if let refusal = refused.value(for: digest) {
            counts.chainFailureHits += 1
            throw refusal
        }
        // Copies of a good chain that differ where nothing is signed: they are never verified and never remembered.
        guard presented.certificates.allSatisfy({ Certificate.hasCanonicalFrame($0.span) }) else {
            throw .x5cNotDER
        }
        let issuer = presented.certificates[1]
        let intermediate = IntermediateKey(
            intermediate: SHA256.hash(issuer.span),
            anchor: anchor.fingerprint
        )
        let isKnown = intermediates.value(for: intermediate) != nil
        let allowed =
            if isHint {
                hints.take(nowMilliseconds: nowMilliseconds)
            } else if isKnown {
                knownIntermediates.admit(digest, nowMilliseconds: nowMilliseconds)
            } else {
                unseenChains.admit(digest, nowMilliseconds: nowMilliseconds)
            }
        guard allowed else { throw .chainBudget }
        counts.chainCacheMisses += 1
        do {
            let chain = try verify(presented, under: anchor, issuerIsVerified: isKnown)
            verified.insert(chain, for: digest)
            intermediates.insert(true, for: intermediate)
            return Finding(chain: chain, wasCached: false)
        } catch {
            // A fault of the library says nothing about the chain.
            if error != .opensslFailure { refused.insert(error, for: digest) }
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

    private mutating func verify(
        _ presented: ChainBytes,
        under anchor: TrustedAnchor,
        issuerIsVerified: Bool
    ) throws(Refusal) -> TrustedChain {
        lastFailure = nil
        let leafDER = presented.certificates[0]
        let intermediateDER = presented.certificates[1]
        guard let leaf = try? Certificate(der: leafDER.span),
            let intermediate = try? Certificate(der: intermediateDER.span)
        else { throw .x5cNotDER }
        let failure = anchor.verifier.failure(
            leaf: leaf,
            intermediate: intermediate,
            issuerIsVerified: issuerIsVerified
        )
        lastFailure = failure
        switch failure {
        case .none: break
        case .opensslFailure: throw .opensslFailure
        case .refused, .otherChain: throw .chainInvalid
        }
        guard intermediate.keyKind.isSuitableForAuthority else { throw .intermediateKey }
        guard leaf.keyKind == .p256 else { throw .leafKey }
        guard Self.maySignData(leaf) else { throw .leafUsage }
        guard leaf.hasExtension(MarkerOID.leaf) else { throw .leafMarkerMissing }
        guard intermediate.hasExtension(MarkerOID.intermediate) else { throw .intermediateMarkerMissing }
        return try trustedChain([leaf, intermediate, anchor.certificate], anchor: anchor.fingerprint)
    }

    /// Whether the leaf says of itself what Apple's leaves say: no authority, digitalSignature. A critical
    /// extendedKeyUsage, which Apple's do not have, would have to name any purpose or one of Apple's own.
    private static func maySignData(_ leaf: Certificate) -> Bool {
        guard !leaf.isAuthority, leaf.maySignData else { return false }
        guard let purposes = leaf.criticalPurposes else { return true }
        return purposes.contains { $0 == "2.5.29.37.0" || $0.hasPrefix("1.2.840.113635.100.4.") }
    }

    private func trustedChain(
        _ certificates: [Certificate],
        anchor: SHA256Digest
    ) throws(Refusal) -> TrustedChain {
        var notBefore = Int64.min
        var notAfter = Int64.max
        for certificate in certificates {
            guard let start = certificate.notBeforeMilliseconds, let end = certificate.notAfterMilliseconds
            else { throw .x5cNotDER }
            notBefore = max(notBefore, start)
            notAfter = min(notAfter, end)
        }
        guard let key = try? ES256Verifier(keyOf: certificates[0]) else { throw .opensslFailure }
        return TrustedChain(
            key: key,
            anchor: anchor,
            notBeforeMilliseconds: notBefore,
            notAfterMilliseconds: notAfter
        )
    }
}

/// Apple's marker extensions; their presence counts, their value is ASN.1 NULL.
///
/// Source: Apple, JWSDecodedHeader `x5c`.
public enum MarkerOID {
    /// On the leaf: Mac App Store receipt signing.
    public static let leaf: StaticString = "1.2.840.113635.100.6.11.1"
    /// On the intermediate: Worldwide Developer Relations.
    public static let intermediate: StaticString = "1.2.840.113635.100.6.2.1"
}
