internal import System

/// The clocks of a recorder. Tests have others.
public struct RecorderTiming: Sendable {
    /// Returns the time, milliseconds since 1970.
    public var wallMilliseconds: @Sendable () -> Int64
    /// Returns nanoseconds of a clock that never goes back.
    public var monotonicNanoseconds: @Sendable () -> UInt64

    /// Combines two clocks.
    public init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// The machine's clocks.
    public static let system = RecorderTiming(
        wallMilliseconds: { Clock.wallMilliseconds() },
        monotonicNanoseconds: { Clock.monotonicNanoseconds() }
    )
}
