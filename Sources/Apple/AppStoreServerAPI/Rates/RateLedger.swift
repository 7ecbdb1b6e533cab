/// The calls of the last hour of every kind, and what follows from them for the next call. Pure arithmetic: the time
/// is an argument.
public struct RateLedger: Sendable, Hashable {
    /// The answer to a request for one call.
    public enum Reservation: Sendable, Hashable {
        /// The call is counted and may be made now.
        case granted
        /// The calls of the hour are used up until that time, milliseconds since 1970.
        case usedUp(untilMilliseconds: Int64)
        /// Apple's server has refused further calls until that time, milliseconds since 1970.
        case blocked(untilMilliseconds: Int64)
    }

    var windows: [RateKey: RateWindow] = [:]

    /// Makes a ledger without calls.
    public init() {}

    /// Counts a call when it may be made now; otherwise says when.
    public mutating func reserve(_ key: RateKey, at now: Int64) -> Reservation {
        var window = windows[key] ?? RateWindow()
        window.advance(to: now)
        defer { windows[key] = window }
        let time = window.earliest(at: now, callsPerHour: key.callsPerHour)
        guard time > now else {
            window.add(at: now)
            return .granted
        }
        return time == window.blockedUntilMilliseconds
            ? .blocked(untilMilliseconds: time) : .usedUp(untilMilliseconds: time)
    }

    /// Remembers that Apple's server refused further calls of a kind until the given time, at most an hour from now.
    public mutating func block(_ key: RateKey, untilMilliseconds: Int64, at now: Int64) {
        var window = windows[key] ?? RateWindow()
        window.block(untilMilliseconds: untilMilliseconds)
        window.advance(to: now)
        windows[key] = window
    }

    /// Forgets what no longer counts.
    public mutating func advance(to now: Int64) {
        for key in windows.keys {
            windows[key]?.advance(to: now)
            if windows[key]?.isEmpty == true { windows[key] = nil }
        }
    }

    /// Returns how many calls of a kind can be made at once.
    public func freeCount(_ key: RateKey, at now: Int64) -> Int {
        var window = windows[key] ?? RateWindow()
        window.advance(to: now)
        guard window.blockedUntilMilliseconds == 0 else { return 0 }
        return max(0, key.callsPerHour - window.usedCount)
    }
}

/// A number of calls of one kind that are made one after the other.
public struct PlannedCalls: Sendable, Hashable {
    /// The kind of the calls.
    public let key: RateKey
    /// Their number.
    public let count: Int

    /// Combines a kind and a number.
    public init(_ key: RateKey, count: Int) {
        self.key = key
        self.count = count
    }
}

extension RateLedger {
    /// Returns how long planned calls will take, in milliseconds: the time until the last call is answered.
    ///
    /// - Parameters:
    ///   - calls: the calls in the order in which they are made.
    ///   - now: the time at which the first call could be made.
    ///   - callMilliseconds: how long one call takes by itself.
    /// - Returns: for each entry of `calls`, the time from `now` to the end of its last call.
    public func estimate(_ calls: [PlannedCalls], at now: Int64, callMilliseconds: Int64 = 0) -> [Int64] {
        var time = now
        var windows = windows
        var ends: [Int64] = []
        for planned in calls {
            var window = windows[planned.key] ?? RateWindow()
            for _ in 0..<max(0, planned.count) {
                window.advance(to: time)
                time = window.earliest(at: time, callsPerHour: planned.key.callsPerHour)
                window.advance(to: time)
                window.add(at: time)
                time += callMilliseconds
            }
            windows[planned.key] = window
            ends.append(time - now)
        }
        return ends
    }
}
