public import Logging

/// Finds out when this machine's clock is wrong: when it is set while the process runs, and when it disagrees with the
/// dates that Apple signs.
///
///     var watch = ClockWatch()
///     for warning in watch.look(wall: wallMilliseconds, monotonic: monotonicMilliseconds, offset: counters.clockOffset) {
///         warning.write(to: logger)
///     }
public struct ClockWatch: Sendable {
    /// How far `signedDate` may lie behind the clock before the watch warns, in milliseconds.
    private let latestMilliseconds: Int64
    /// The difference of the two clocks at the last look.
    private var difference: Int64?
    /// When the watch last warned of an offset, in milliseconds of the monotonic clock.
    private var warnedAt: Int64?

    /// Makes a watch. `latestMilliseconds` is how late payloads may come.
    public init(latestMilliseconds: Int64 = TelemetryLimits.clockOffsetMilliseconds) {
        self.latestMilliseconds = latestMilliseconds
    }

    /// Compares the clocks with each other and with the dates that Apple signs. All values are in milliseconds.
    ///
    /// - Returns: the warnings that are due. A jump is told once, an offset once an hour.
    public mutating func look(wall: Int64, monotonic: Int64, offset: Int64?) -> [ClockWarning] {
        var warnings: [ClockWarning] = []
        let now = wall &- monotonic
        if let difference {
            let jump = now &- difference
            if jump.magnitude >= TelemetryLimits.clockJumpMilliseconds { warnings.append(.jumped(jump)) }
        }
        difference = now
        guard warnings.isEmpty, let offset, let warning = warning(of: offset) else { return warnings }
        if let warnedAt, monotonic - warnedAt < TelemetryLimits.clockWarningMilliseconds { return [] }
        warnedAt = monotonic
        return [warning]
    }

    private func warning(of offset: Int64) -> ClockWarning? {
        if offset > TelemetryLimits.clockOffsetMilliseconds { return .behind(offset) }
        return offset < -latestMilliseconds ? .ahead(offset) : nil
    }
}

/// A log line about this machine's clock.
public enum ClockWarning: Sendable, Hashable {
    /// The clock was set by so many milliseconds, or the machine slept.
    case jumped(Int64)
    /// The dates that Apple signs are ahead of the clock by so many milliseconds.
    case behind(Int64)
    /// The dates that Apple signs are behind the clock: the offset is negative.
    case ahead(Int64)

    /// The stable code.
    public var code: String {
        switch self {
        case .jumped: "clock-jumped"
        case .behind: "clock-behind"
        case .ahead: "clock-ahead"
        }
    }

    private var message: String {
        switch self {
        case .jumped: "the wall clock jumped"
        case .behind: "signedDate is ahead of this machine's clock: the clock is slow"
        case .ahead: "signedDate is behind this machine's clock: the clock is fast, or requests come late"
        }
    }

    private var milliseconds: Int64 {
        switch self {
        case .jumped(let value), .behind(let value), .ahead(let value): value
        }
    }

    /// Writes the line, a warning.
    public func write(to logger: Logger) {
        logger.warning("\(message)", metadata: ["code": "\(code)", "milliseconds": "\(milliseconds)"])
    }
}
