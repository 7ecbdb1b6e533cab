/// The calls of one operation that a run has made within the hour, and until when Apple's server refuses more.
///
/// Calls are made at once until the hour's number is reached. Another run may have used up a part of the hour: Apple's server then
/// answers 429.
struct CallPace {
    /// An hour, and the timeout in which a request may reach Apple's server late.
    static let hourMilliseconds: Int64 = 3_600_000 + 30_000

    /// The time until which a call has to wait, milliseconds since 1970.
    enum Wait {
        /// The calls of the hour are used up.
        case usedUp(untilMilliseconds: Int64)
        /// Apple's server has refused further calls.
        case refused(untilMilliseconds: Int64)
    }

    private var startMilliseconds: Int64 = 0
    private var count = 0
    /// Until when Apple's server has refused further calls; 0 when it has not.
    var refusedUntilMilliseconds: Int64 = 0

    /// Counts a call and returns nil, or returns how long it has to wait.
    mutating func take(at now: Int64, callsPerHour: Int) -> Wait? {
        guard refusedUntilMilliseconds <= now else {
            return .refused(untilMilliseconds: refusedUntilMilliseconds)
        }
        if count == 0 || now >= startMilliseconds + Self.hourMilliseconds {
            (startMilliseconds, count) = (now, 0)
        }
        guard count < callsPerHour else {
            return .usedUp(untilMilliseconds: startMilliseconds + Self.hourMilliseconds)
        }
        count += 1
        return nil
    }
}
