/// Finds out when this machine's clock is wrong: when it is set while the process runs, and when it disagrees with the
/// dates that Apple signs.
///
///     var watch = ClockWatch()
///     let offset = counters.clockOffset(atMilliseconds: bootMilliseconds)
///     for warning in watch.look(wall: wallMilliseconds, boot: bootMilliseconds, offset: offset) {
///         warning.write(to: logger)
///     }
public struct ClockWatch: Sendable {
    /// How far `signedDate` may lie behind the clock before the watch warns, in milliseconds.
    private let latestMilliseconds: Int64
    /// The difference of the two clocks at the last look.
    private var difference: Int64?
    /// When the watch last warned of an offset, in milliseconds of the clock that nobody sets.
    private var warnedAt: Int64?

    /// Makes a watch. `latestMilliseconds` is how late payloads may come.
    public init(latestMilliseconds: Int64 = TelemetryLimits.clockOffsetMilliseconds) {
        self.latestMilliseconds = latestMilliseconds
    }

    /// Compares the clocks with each other and with the dates that Apple signs. All values are in milliseconds. `boot` is
    /// the time of a clock that nobody sets and that also counts while the machine sleeps (`Clock.bootNanoseconds()`).
    ///
    /// - Returns: the warnings that are due. A jump is told once, an offset once an hour.
    public mutating func look(wall: Int64, boot: Int64, offset: Int64?) -> [ClockWarning] {
        var warnings: [ClockWarning] = []
        let now = wall &- boot
        if let difference {
            let jump = now &- difference
            if jump.magnitude >= TelemetryLimits.clockJumpMilliseconds { warnings.append(.jumped(jump)) }
        }
        difference = now
        guard warnings.isEmpty, let offset, let warning = warning(of: offset) else { return warnings }
        if let warnedAt, boot - warnedAt < TelemetryLimits.clockWarningMilliseconds { return [] }
        warnedAt = boot
        return [warning]
    }

    private func warning(of offset: Int64) -> ClockWarning? {
        if offset > TelemetryLimits.clockOffsetMilliseconds { return .behind(offset) }
        return offset < -latestMilliseconds ? .ahead(offset) : nil
    }
}
