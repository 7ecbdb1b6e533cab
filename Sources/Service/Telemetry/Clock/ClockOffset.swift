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

    /// The offset and the time as one word of the shared memory.
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
