internal import HTTPClient

/// Reads the field Retry-After of a 429.
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
