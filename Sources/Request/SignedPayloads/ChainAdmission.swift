internal import Cryptography

/// Decides which of the chains that nobody has seen is verified now, for one class of them.
///
/// First come, first served, as far as the budget goes. A chain for which nothing was left is counted, and at its 2nd,
/// 4th, 8th, 16th, 32nd and each further 64th time it may draw on a small budget that only chains which came as often
/// share. A flood of chains that each come once has no part in these: under it a genuine chain is verified at its second
/// request. A flood that sends each chain k times has k times fewer chains, and none of them reaches the budgets above k;
/// there a genuine chain has the next rung to itself. Up to k every chain draws as often, so that the genuine one has the
/// chance of any other: the larger k is, the fewer they are. With k of 16 and more and 1,000 requests a second a worker
/// half of the genuine chains are in within a second and nine of ten within four (`ChainAdmissionTests.repeated`).
struct ChainAdmission {
    private var firstCome: TokenBucket
    private var rungs: [TokenBucket]
    private var turnedAway: TurnedAwayChains

    /// - Parameters:
    ///   - budget: for whoever comes.
    ///   - returning: for each rung of those who come again.
    ///   - seed: see ``TurnedAwayChains``.
    init(_ budget: ChainBudget, returning: ChainBudget, seed: UInt64) {
        firstCome = TokenBucket(budget)
        rungs = [TokenBucket](repeating: TokenBucket(returning), count: SignedPayloadsLimits.returningRungs)
        turnedAway = TurnedAwayChains(seed: seed)
    }

    /// Whether the chain with this digest is verified now. If so, what comes of it must be remembered.
    mutating func admit(_ digest: SHA256Digest, nowMilliseconds: Int64) -> Bool {
        guard !firstCome.take(nowMilliseconds: nowMilliseconds) else {
            turnedAway.forget(digest)
            return true
        }
        let count = turnedAway.note(digest, nowMilliseconds: nowMilliseconds)
        guard let rung = Self.rung(of: count), rungs[rung].take(nowMilliseconds: nowMilliseconds) else {
            return false
        }
        turnedAway.forget(digest)
        return true
    }

    /// Where a chain stands that came so often: 0 for the second time, 1 for the fourth; nil between the rungs.
    static func rung(of count: Int) -> Int? {
        let highest = 1 << SignedPayloadsLimits.returningRungs
        if count >= highest { return count % highest == 0 ? SignedPayloadsLimits.returningRungs - 1 : nil }
        guard count >= 2, count & (count - 1) == 0 else { return nil }
        return count.trailingZeroBitCount - 1
    }
}
