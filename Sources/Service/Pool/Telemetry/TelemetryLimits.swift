/// Sizes and bounds of the telemetry.
package enum TelemetryLimits {
    /// The smallest jump of the wall clock that is told, in milliseconds. At a leap second the kernel sets the clock back
    /// by one second. A clock that is corrected little by little changes by at most 1 ms in the two seconds between two
    /// looks.
    static let clockJumpMilliseconds: Int64 = 1_500
    /// The offset of `signedDate` from the clock beyond which the log warns, in milliseconds: requests are refused from
    /// 60 seconds on.
    package static let clockOffsetMilliseconds: Int64 = 5_000
    /// The time between two warnings of an offset, in milliseconds.
    static let clockWarningMilliseconds: Int64 = 3_600_000
    /// The time after which an offset no longer counts, in milliseconds: a day. The clock may have been corrected little
    /// by little since then, and few requests may have come.
    static let clockOffsetAgeMilliseconds: Int64 = dayMilliseconds
    /// The number of offsets whose median is taken, and the least number.
    static let clockOffsets = 64
    static let leastClockOffsets = 16
    /// The number of workers that can exist at one time: two generations with as many workers as `workers` allows, and
    /// some workers that are ending.
    static let workerSlots = 2304
    /// The largest number of stable codes that get a counter each.
    static let codes = 256
    /// The number of rows that count decisions by rule. A generation uses at most half of them
    /// (``SharedCounters/decisionRowsOfGeneration``), so that the rules of the generations before keep theirs.
    static let decisionRows = 4096
    static let dayMilliseconds: Int64 = 86_400_000
    /// The longest value in a log line, in characters. A longer value is cut and ends with `…`.
    static let valueCharacters = 1024
    /// The depth to which nested log metadata is written as separate fields.
    static let metadataDepth = 4
}
