internal import Cryptography

/// Decides which unseen chains a verifier verifies now, for one class of chains (``ChainBudgets``).
///
/// While the budget lasts, chains are admitted in the order in which they come. A chain that comes after that is turned
/// away and counted. At its 2nd, 4th, 8th, 16th, 32nd and every 64th time it may draw on a small extra budget, its
/// rung, which it shares only with chains that came equally often.
///
/// A flood in which each chain comes once has no part in these rungs: under it a genuine chain is verified at its
/// second request. A flood that sends each chain k times has k times fewer chains, and none of them reaches the rungs
/// above k; there a genuine chain has the next rung to itself. On the rungs up to k every chain draws equally often, so
/// a genuine chain has the same chance as any other, and the larger k is, the fewer chains there are. With k of 16 or
/// more and 1,000 requests a second to a worker, half of the genuine chains are verified within one second and nine of
/// ten within four (`ChainAdmissionTests.repeated`).
struct ChainAdmission {
    private var firstCome: TokenBucket
    private var rungs: [TokenBucket]
    private var turnedAway: DeferredChains

    /// Makes an admission with full budgets.
    ///
    /// - Parameters:
    ///   - budget: the budget for every chain.
    ///   - returning: the budget of each rung, for chains that come again.
    ///   - seed: the secret number of ``DeferredChains``.
    init(_ budget: ChainBudget, returning: ChainBudget, seed: UInt64) {
        firstCome = TokenBucket(budget)
        rungs = [TokenBucket](repeating: TokenBucket(returning), count: SignedPayloadsLimits.returningRungs)
        turnedAway = DeferredChains(seed: seed)
    }

    /// Returns true when the chain with this digest is to be verified now. The caller must then remember the result.
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

    /// Returns the rung of a chain that came `count` times: 0 for the second time, 1 for the fourth; nil between the
    /// rungs.
    static func rung(of count: Int) -> Int? {
        let highest = 1 << SignedPayloadsLimits.returningRungs
        if count >= highest { return count % highest == 0 ? SignedPayloadsLimits.returningRungs - 1 : nil }
        guard count >= 2, count & (count - 1) == 0 else { return nil }
        return count.trailingZeroBitCount - 1
    }
}
