internal import System

/// The latest offsets of `signedDate` from this machine's clock, in milliseconds: above 0 when this clock is slow.
///
///     var offsets = ClockOffsets()
///     offsets.note(-120, atMilliseconds: 0)
///     print(offsets.median(atMilliseconds: 0) as Any)  // nil: too few
///
/// Times are in milliseconds of a clock that also counts while the machine sleeps (`Clock.bootNanoseconds()`).
public struct ClockOffsets: Sendable {
    private var list: [ClockOffset] = []
    private var next = 0

    public init() {}

    /// Notes an offset. It takes the place of the oldest one when the list is full.
    public mutating func note(_ offset: Int64, atMilliseconds now: Int64) {
        let offset = ClockOffset(milliseconds: offset, atMilliseconds: now)
        if list.count < TelemetryLimits.clockOffsets {
            list.append(offset)
        } else {
            list[next % list.count] = offset
        }
        next = (next + 1) % TelemetryLimits.clockOffsets
    }

    /// Forgets all offsets, because the clock was set.
    public mutating func forget() { self = ClockOffsets() }

    /// Returns the median of the offsets of the last day; nil while there are too few.
    public func median(atMilliseconds now: Int64) -> Int64? { ClockOffset.median(list, atMilliseconds: now) }
}

extension SharedCounters {
    /// Notes how far `signedDate` of a payload was ahead of this machine's clock, in milliseconds.
    public func note(clockOffset offset: Int64, atMilliseconds now: Int64) {
        let number = memory.next(layout.clockOffsets)
        let place = Int((number &- 1) % UInt64(TelemetryLimits.clockOffsets))
        let offset = ClockOffset(milliseconds: offset, atMilliseconds: now)
        memory.store(offset.word, at: layout.clockOffsets + 1 + place)
    }

    /// Forgets all offsets, because the clock was set.
    public func forgetClockOffsets() { memory.store(0, at: layout.clockOffsets) }

    /// Returns the median of the latest offsets, in milliseconds; nil while those of the last day are too few.
    public func clockOffset(atMilliseconds now: Int64) -> Int64? {
        let count = Int(min(memory.load(layout.clockOffsets), UInt64(TelemetryLimits.clockOffsets)))
        let offsets = (0..<count).lazy.map { [self] in
            ClockOffset(word: memory.load(layout.clockOffsets + 1 + $0))
        }
        return ClockOffset.median(offsets, atMilliseconds: now)
    }
}
