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
    /// The certificates of the last chain that vouched for a payload; empty when ``takeUsedCertificates()`` has returned them.
    private var used: [UsedCertificate] = []
    private(set) var counts = VerifierCounts()

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
        case request
        case worker
        /// A payload whose signature is verified. Its chains are verified without a budget.
        case verifiedPayload
    }

    /// Returns the trusted chain for the presented certificates. Throws `anchor-unknown`, `x5c-not-der`, `chain-budget`, or
    /// the error of ``TrustedAnchor``.
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

    mutating func countKnownChain() {
        counts.chainCacheHits += 1
    }

    /// Remembers that a payload passed every check with this chain. Only such a chain is sent to the other workers, and
    /// only once.
    ///
    /// Anybody who has Apple's public certificates can present good chains, but cannot sign with them.
    mutating func rememberTrusted(_ chain: TrustedChain, presentedAs presented: ChainBytes) {
        guard !chain.isRemembered else { return }
        chain.isRemembered = true
        if fresh.count < SignedPayloadsLimits.hints { fresh.append(presented) }
    }

    /// Remembers the certificates of the last chain with which a payload passed every check.
    mutating func rememberUse(of chain: TrustedChain) { used = chain.certificates }

    mutating func takeUsedCertificates() -> [UsedCertificate] {
        defer { used = [] }
        return used
    }

    var anchorCertificates: [UsedCertificate] {
        anchors.compactMap { UsedCertificate($0.certificate, as: .anchor) }
    }

    mutating func takeVerifiedChain() -> ChainBytes? {
        fresh.isEmpty ? nil : fresh.removeFirst()
    }
}

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

    mutating func chain(_ digest: SHA256Digest) -> TrustedChain? { verified.value(for: digest) }

    mutating func refusal(_ digest: SHA256Digest) -> VerificationError? { refused.value(for: digest) }

    mutating func knows(_ intermediate: Intermediate) -> Bool {
        intermediates.value(for: intermediate) != nil
    }

    mutating func remember(_ chain: TrustedChain, _ digest: SHA256Digest, _ intermediate: Intermediate) {
        verified.insert(chain, for: digest)
        intermediates.insert(true, for: intermediate)
    }

    /// Remembers why a chain was refused. A failure of OpenSSL is not remembered, because it says nothing about the chain.
    mutating func remember(_ error: VerificationError, _ digest: SHA256Digest) {
        if error.refusal != .opensslFailure { refused.insert(error, for: digest) }
    }
}

/// Decides which unseen chains of requests a verifier verifies now, so that a flood of invented chains does not cost any
/// amount of processor time. A chain that was turned away and comes again may draw on a second budget, in which a flood of
/// chains that come once has no part. When each invented chain comes several times, at 1,000 requests a second to a worker,
/// half of the new certificates are verified within one second and nine of ten within four (`ChainAdmissionTests.repeated`).
struct ChainAdmission {
    private var firstCome: TokenBucket
    private var returning: TokenBucket
    /// The chains that were turned away last, each by the first bytes of its digest.
    private var turnedAway: Set<UInt64> = []
    /// The same in the order in which they came, the oldest at `oldest`.
    private var order: [UInt64] = []
    private var oldest = 0

    init(_ budget: ChainBudget, returning: ChainBudget) {
        firstCome = TokenBucket(budget)
        self.returning = TokenBucket(returning)
    }

    /// Returns true when the chain with this digest is to be verified now. The caller must then remember the result.
    mutating func admit(_ digest: SHA256Digest, nowMilliseconds: Int64) -> Bool {
        if firstCome.take(nowMilliseconds: nowMilliseconds) { return true }
        let key = digest.leadingWord
        guard turnedAway.insert(key).inserted else { return returning.take(nowMilliseconds: nowMilliseconds) }
        if order.count < SignedPayloadsLimits.turnedAwayChains {
            order.append(key)
        } else {
            turnedAway.remove(order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % order.count
        }
        return false
    }
}

/// A token bucket for one ``ChainBudget``. The caller passes the time.
struct TokenBucket {
    private let budget: ChainBudget
    /// The tokens in thousandths, so that the refill is exact in milliseconds.
    private var thousandths: Int
    private var refilledMilliseconds: Int64?

    init(_ budget: ChainBudget) {
        self.budget = budget
        thousandths = Self.capacity(of: budget)
    }

    /// Takes one token; returns false when there is none. `nowMilliseconds` may be of any clock; a clock that goes back
    /// refills nothing.
    mutating func take(nowMilliseconds: Int64) -> Bool {
        let last = refilledMilliseconds ?? nowMilliseconds
        // A minute fills any bucket that has a useful refill rate. The limit also keeps the product small.
        let elapsed = min(max(0, nowMilliseconds &- last), 60_000)
        refilledMilliseconds = nowMilliseconds
        let refill = Int(elapsed) * budget.perSecond
        thousandths = min(Self.capacity(of: budget), thousandths + refill)
        guard thousandths >= 1000 else { return false }
        if budget.burst != .max { thousandths -= 1000 }
        return true
    }

    private static func capacity(of budget: ChainBudget) -> Int {
        budget.burst == .max ? .max / 2 : budget.burst * 1000
    }
}

/// A dictionary of at most `capacity` values. When it is full, it drops the value that was not used for the longest
/// time. It finds that value by a linear search, which is fast enough for a few hundred entries.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, used: UInt64)] = [:]
    private var clock: UInt64 = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        clock += 1
        entries.values[index].used = clock
        return entries.values[index].value
    }

    mutating func insert(_ value: Value, for key: Key) {
        clock += 1
        if entries[key] == nil, entries.count >= capacity,
            let oldest = entries.min(by: { $0.value.used < $1.value.used })
        {
            entries.removeValue(forKey: oldest.key)
        }
        entries[key] = (value, clock)
    }
}

/// How often a verifier's memories saved work. The counts only grow.
public struct VerifierCounts: Sendable, Hashable {
    public var chainCacheHits: UInt64 = 0
    /// Chains that had to be verified, with any result; hints included.
    public var chainCacheMisses: UInt64 = 0
    public var chainFailureHits: UInt64 = 0

    public init() {}
}
