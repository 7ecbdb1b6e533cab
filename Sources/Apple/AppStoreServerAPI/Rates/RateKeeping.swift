/// Counts the calls of clients and says when the next call may be made.
public protocol RateKeeping: AnyObject {
    /// Counts a call when it may be made now; otherwise says when.
    func reserve(_ key: RateKey, at now: Int64) throws(RateStateError) -> RateLedger.Reservation
    /// Remembers that Apple's server refused further calls of a kind until the given time.
    func block(_ key: RateKey, untilMilliseconds: Int64, at now: Int64) throws(RateStateError)
    /// Returns the calls that count at a time, for estimates.
    func ledger(at now: Int64) throws(RateStateError) -> RateLedger
}

/// Counts the calls of one client in memory alone.
public final class RateMemory: RateKeeping {
    private var ledger = RateLedger()

    /// Begins without calls.
    public init() {}

    /// Counts a call when it may be made now; otherwise says when.
    public func reserve(_ key: RateKey, at now: Int64) throws(RateStateError) -> RateLedger.Reservation {
        ledger.reserve(key, at: now)
    }

    /// Remembers that Apple's server refused further calls of a kind until the given time.
    public func block(_ key: RateKey, untilMilliseconds: Int64, at now: Int64) throws(RateStateError) {
        ledger.block(key, untilMilliseconds: untilMilliseconds, at: now)
    }

    /// Returns the calls that count at a time.
    public func ledger(at now: Int64) throws(RateStateError) -> RateLedger {
        ledger.advance(to: now)
        return ledger
    }
}
