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
        let (difference, overflow) = nowMilliseconds.subtractingReportingOverflow(last)
        let elapsed = overflow ? (nowMilliseconds > last ? 60_000 : 0) : min(max(0, difference), 60_000)
        refilledMilliseconds = nowMilliseconds
        let refill = Int(elapsed) * budget.perSecond
        thousandths = min(Self.capacity(of: budget), thousandths.addingReportingOverflow(refill).partialValue)
        guard thousandths >= 1000 else { return false }
        if budget.burst != .max { thousandths -= 1000 }
        return true
    }

    private static func capacity(of budget: ChainBudget) -> Int {
        budget.burst == .max ? .max / 2 : budget.burst * 1000
    }
}
