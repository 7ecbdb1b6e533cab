internal import Cryptography

/// Decides which unseen chains of requests a verifier verifies now. Without a limit, a flood of invented chains could cost
/// any amount of processor time.
///
/// While the budget lasts, chains are admitted in the order in which they come. A chain that was turned away and comes
/// again may draw on a second budget. A flood in which each chain comes once has no part in that one: under it Apple's
/// new certificate is verified at its second request. When each invented chain comes several times, at 1,000 requests a
/// second to a worker, half of the new certificates are verified within one second and nine of ten within four
/// (`ChainAdmissionTests.repeated`).
struct ChainAdmission {
    private var firstCome: TokenBucket
    private var returning: TokenBucket
    /// The chains that were turned away last, each by the first bytes of its digest.
    private var turnedAway: Set<UInt64> = []
    /// The same in the order in which they came, the oldest at `oldest`.
    private var order: [UInt64] = []
    private var oldest = 0

    /// Makes an admission with full budgets, one for every chain and one for chains that come again.
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
