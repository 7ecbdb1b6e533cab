package import Logging
internal import System

/// Finds out when this machine's clock is wrong: when it is set while the process runs, and when it disagrees with the
/// dates that Apple signs.
package struct ClockWatch: Sendable {
    /// How far `signedDate` may lie behind the clock before the watch warns, in milliseconds.
    private let latestMilliseconds: Int64
    private var difference: Int64?
    /// When the watch last warned of an offset, in milliseconds of the clock that nobody sets.
    private var warnedAt: Int64?

    /// Makes a watch. `latestMilliseconds` is how late payloads may come.
    package init(latestMilliseconds: Int64 = TelemetryLimits.clockOffsetMilliseconds) {
        self.latestMilliseconds = latestMilliseconds
    }

    /// Compares the clocks with each other and with the dates that Apple signs. All values are in milliseconds. `boot` is
    /// the time of a clock that nobody sets and that also counts while the machine sleeps (`Clock.bootNanoseconds()`).
    ///
    /// - Returns: the warnings that are due. A jump is told once, an offset once an hour.
    package mutating func look(wall: Int64, boot: Int64, offset: Int64?) -> [ClockWarning] {
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

/// A log line about this machine's clock.
package enum ClockWarning: Sendable, Hashable {
    case jumped(Int64)
    /// The dates that Apple signs are ahead of the clock by so many milliseconds.
    case behind(Int64)
    case ahead(Int64)

    package var code: String {
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

    package func write(to logger: Logger) {
        logger.warning("\(message)", metadata: ["code": "\(code)", "milliseconds": "\(milliseconds)"])
    }
}

/// The latest offsets of `signedDate` from this machine's clock, in milliseconds: above 0 when this clock is slow.
///
/// Times are in milliseconds of a clock that also counts while the machine sleeps (`Clock.bootNanoseconds()`).
package struct ClockOffsets: Sendable {
    private var list: [ClockOffset] = []
    private var next = 0

    package init() {}

    /// Notes an offset. It takes the place of the oldest one when the list is full.
    package mutating func note(_ offset: Int64, atMilliseconds now: Int64) {
        let offset = ClockOffset(milliseconds: offset, atMilliseconds: now)
        if list.count < TelemetryLimits.clockOffsets {
            list.append(offset)
        } else {
            list[next % list.count] = offset
        }
        next = (next + 1) % TelemetryLimits.clockOffsets
    }

    package mutating func forget() { self = ClockOffsets() }

    /// Returns the median of the offsets of the last day; nil while there are too few.
    package func median(atMilliseconds now: Int64) -> Int64? { ClockOffset.median(list, atMilliseconds: now) }
}

extension SharedCounters {
    package func note(clockOffset offset: Int64, atMilliseconds now: Int64) {
        let number = memory.next(layout.clockOffsets)
        let place = Int((number &- 1) % UInt64(TelemetryLimits.clockOffsets))
        let offset = ClockOffset(milliseconds: offset, atMilliseconds: now)
        memory.store(offset.word, at: layout.clockOffsets + 1 + place)
    }

    package func forgetClockOffsets() { memory.store(0, at: layout.clockOffsets) }

    package func clockOffset(atMilliseconds now: Int64) -> Int64? {
        let count = Int(min(memory.load(layout.clockOffsets), UInt64(TelemetryLimits.clockOffsets)))
        let offsets = (0..<count).lazy.map { [self] in
            ClockOffset(word: memory.load(layout.clockOffsets + 1 + $0))
        }
        return ClockOffset.median(offsets, atMilliseconds: now)
    }
}

/// How far `signedDate` of a payload was ahead of this machine's clock, and when.
struct ClockOffset {
    /// The offset in milliseconds. One that does not fit becomes the nearest one that does.
    let milliseconds: Int32
    /// The time of the payload, in seconds of a clock that also counts while the machine sleeps.
    let seconds: UInt32

    init(milliseconds: Int64, atMilliseconds now: Int64) {
        self.milliseconds = Int32(clamping: milliseconds)
        seconds = UInt32(truncatingIfNeeded: now / 1000)
    }

    var word: UInt64 { UInt64(UInt32(bitPattern: milliseconds)) << 32 | UInt64(seconds) }

    init(word: UInt64) {
        milliseconds = Int32(truncatingIfNeeded: Int64(bitPattern: word) >> 32)
        seconds = UInt32(truncatingIfNeeded: word)
    }

    /// Returns the median of the offsets that are at most a day old; nil when these are too few.
    static func median(_ offsets: some Sequence<ClockOffset>, atMilliseconds now: Int64) -> Int64? {
        let seconds = UInt32(truncatingIfNeeded: now / 1000)
        let latest = offsets.filter {
            // Another process may have noted an offset since `now` was read.
            let age = Int64(Int32(bitPattern: seconds &- $0.seconds))
            return age * 1000 <= TelemetryLimits.clockOffsetAgeMilliseconds
        }
        guard latest.count >= TelemetryLimits.leastClockOffsets else { return nil }
        return Int64(latest.map(\.milliseconds).sorted()[latest.count / 2])
    }
}
