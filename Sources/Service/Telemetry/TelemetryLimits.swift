/// Sizes of what is shared and kept.
enum TelemetryLimits {
    /// Workers that can exist at one time: two generations of as many as `workers` allows, and some that are ending.
    static let workerSlots = 2304
    /// Stable codes counted one by one.
    static let codes = 256
    /// Characters of one value in a log line; what is longer ends with `…`.
    static let valueCharacters = 1024
    /// Nesting of log metadata that is written out.
    static let metadataDepth = 4
}
