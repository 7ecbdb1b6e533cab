internal import System

/// The latest offsets of `signedDate` from this machine's clock, in milliseconds: above 0 when this clock is slow.
///
///     var offsets = ClockOffsets()
///     offsets.note(-120)
///     print(offsets.median as Any)  // nil: too few
public struct ClockOffsets: Sendable {
    private var list: [Int64] = []
    private var next = 0

    /// Makes an empty list.
    public init() {}

    /// Notes an offset. It takes the place of the oldest one when the list is full.
    public mutating func note(_ offset: Int64) {
        if list.count < TelemetryLimits.clockOffsets {
            list.append(offset)
        } else {
            list[next % list.count] = offset
        }
        next = (next + 1) % TelemetryLimits.clockOffsets
    }

    /// Forgets all offsets, because the clock was set.
    public mutating func forget() { self = ClockOffsets() }

    /// The median of the offsets; nil while there are too few.
    public var median: Int64? { Self.median(list) }

    static func median(_ offsets: [Int64]) -> Int64? {
        offsets.count < TelemetryLimits.leastClockOffsets ? nil : offsets.sorted()[offsets.count / 2]
    }
}

extension SharedCounters {
    /// Notes how far `signedDate` of a payload was ahead of this machine's clock, in milliseconds.
    public func note(clockOffset offset: Int64) {
        let number = memory.next(layout.clockOffsets)
        let place = Int((number &- 1) % UInt64(TelemetryLimits.clockOffsets))
        memory.store(UInt64(bitPattern: offset), at: layout.clockOffsets + 1 + place)
    }

    /// Forgets all offsets, because the clock was set.
    public func forgetClockOffsets() { memory.store(0, at: layout.clockOffsets) }

    /// The median of the latest offsets, in milliseconds; nil while there are too few.
    public var clockOffset: Int64? {
        let count = Int(min(memory.load(layout.clockOffsets), UInt64(TelemetryLimits.clockOffsets)))
        return ClockOffsets.median(
            (0..<count).map { Int64(bitPattern: memory.load(layout.clockOffsets + 1 + $0)) }
        )
    }
}
