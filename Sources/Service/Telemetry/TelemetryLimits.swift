/// Sizes and bounds of the telemetry.
enum TelemetryLimits {
    /// The number of workers that can exist at one time: two generations with as many workers as `workers` allows, and
    /// some workers that are ending.
    static let workerSlots = 2304
    /// The largest number of stable codes that get a counter each.
    static let codes = 256
    /// The number of rows that count decisions by rule. A generation uses at most half of them
    /// (``SharedCounters/decisionRowsOfGeneration``), so that the rules of the generations before keep theirs.
    static let decisionRows = 4096
    /// The longest value in a log line, in characters. A longer value is cut and ends with `…`.
    static let valueCharacters = 1024
    /// The depth to which nested log metadata is written as separate fields.
    static let metadataDepth = 4
}
