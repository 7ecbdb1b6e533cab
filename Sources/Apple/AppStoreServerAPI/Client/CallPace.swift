internal import HTTPClient
package import System

/// The calls of one operation that a run has made within the hour, and until when Apple's server refuses more.
///
/// Calls are made at once until the hour's number is reached. Another run may have used up a part of the hour: Apple's server then
/// answers 429.
struct CallPace {
    /// An hour, and the timeout in which a request may reach Apple's server late.
    static let hourMilliseconds: Int64 = 3_600_000 + 30_000

    private var startMilliseconds: Int64 = 0
    private var count = 0
    /// Until when Apple's server has refused further calls; 0 when it has not.
    var refusedUntilMilliseconds: Int64 = 0

    /// Counts a call and returns nil, or returns the time until which it has to wait, milliseconds since 1970.
    mutating func take(at now: Int64, callsPerHour: Int) -> Int64? {
        guard refusedUntilMilliseconds <= now else { return refusedUntilMilliseconds }
        if count == 0 || now >= startMilliseconds + Self.hourMilliseconds {
            (startMilliseconds, count) = (now, 0)
        }
        guard count < callsPerHour else { return startMilliseconds + Self.hourMilliseconds }
        count += 1
        return nil
    }
}

/// The numbers of calls that Apple allows for an app in an hour.
///
/// Source: Apple, Identifying rate limits. Apple states the limits per second and enforces them per hour. Sandbox has
/// 10 % of Production's.
package enum RateLimits {
    /// Returns the calls of an operation that Apple allows in an hour.
    package static func callsPerHour(of operation: AppStoreServerOperation, in environment: Environment)
        -> Int
    {
        operation.callsPerSecond * 3600 / (environment == .production ? 1 : 10)
    }

    /// Returns how long one run waits when it makes a number of calls of an operation, in milliseconds.
    package static func waitMilliseconds(
        for count: Int, of operation: AppStoreServerOperation, in environment: Environment
    ) -> Int64 {
        Int64(max(0, count - 1) / callsPerHour(of: operation, in: environment)) * CallPace.hourMilliseconds
    }
}

enum RetryAfter {
    /// The wait when the field is missing or cannot be read: a minute, in which Sandbox allows six calls on average.
    static let standardMilliseconds: Int64 = 60_000
    /// The longest wait: Apple counts by the hour. A hostile field cannot stop the client for longer either.
    static let longestMilliseconds: Int64 = 3_600_000
    /// The shortest wait, also for a time that is over: the two clocks may differ.
    static let shortestMilliseconds: Int64 = 1000

    /// Returns the time until which the client waits, milliseconds since 1970.
    ///
    /// Apple sends the time itself in milliseconds since 1970. This function also takes what RFC 9110 section 10.2.3
    /// knows, a number of seconds to wait or a date, and seconds since 1970.
    static func untilMilliseconds(_ field: String?, nowMilliseconds now: Int64) -> Int64 {
        let time = field.flatMap { moment($0, now) } ?? now + standardMilliseconds
        return min(max(time, now + shortestMilliseconds), now + longestMilliseconds)
    }

    private static func moment(_ field: String, _ now: Int64) -> Int64? {
        guard let first = field.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return HTTPDate.milliseconds(field)
        }
        // A number with more digits than Int64 has is a time far ahead, as every great number is.
        guard field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        let number = Int64(field) ?? .max
        switch number {
        case ..<firstSecondsSince1970: return now + number * 1000
        case ..<firstMillisecondsSince1970: return number * 1000
        default: return number
        }
    }

    /// The first number that is a time in seconds since 1970. Smaller numbers are seconds to wait; a wait of this many seconds
    /// would last 31 years.
    private static let firstSecondsSince1970: Int64 = 1_000_000_000
    /// The first number that is a time in milliseconds since 1970. In milliseconds it is a time in 1973, in seconds it would be
    /// one in the year 5138.
    private static let firstMillisecondsSince1970: Int64 = 100_000_000_000
}

/// The clock of a client, its way to wait, and its report of waits. Tests replace all three.
package struct ClientTiming {
    /// Why and until when a client waits.
    package struct Wait: Sendable, Hashable {
        package let operation: AppStoreServerOperation
        /// The code of the error after which the call is repeated; nil when Apple allows no more calls now.
        package let code: String?
        /// The time when the client goes on, milliseconds since 1970.
        package let untilMilliseconds: Int64
        package let milliseconds: Int64
    }

    /// Returns the time, milliseconds since 1970.
    package var now: () -> Int64
    /// Waits for that many milliseconds.
    package var sleep: (Int64) -> Void
    package var waiting: (Wait) -> Void

    package init(
        now: @escaping () -> Int64,
        sleep: @escaping (Int64) -> Void,
        waiting: @escaping (Wait) -> Void = { _ in }
    ) {
        self.now = now
        self.sleep = sleep
        self.waiting = waiting
    }

    /// Returns the timing of the machine's own clock.
    package static func system(waiting: @escaping (Wait) -> Void = { _ in }) -> ClientTiming {
        ClientTiming(now: Clock.wallMilliseconds, sleep: Clock.sleep, waiting: waiting)
    }
}
