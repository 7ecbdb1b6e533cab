internal import System

/// The clocks of a recorder. Tests have others.
public struct RecorderTiming: Sendable {
    /// Returns the time, milliseconds since 1970.
    public var wallMilliseconds: @Sendable () -> Int64
    /// Returns nanoseconds of a clock that never goes back.
    public var monotonicNanoseconds: @Sendable () -> UInt64
    /// Returns nanoseconds of a clock that never goes back and also counts while the machine sleeps.
    public var bootNanoseconds: @Sendable () -> UInt64

    public init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64,
        bootNanoseconds: @escaping @Sendable () -> UInt64
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.monotonicNanoseconds = monotonicNanoseconds
        self.bootNanoseconds = bootNanoseconds
    }

    /// The time of the clock that also counts while the machine sleeps, in milliseconds.
    var bootMilliseconds: Int64 { Int64(bootNanoseconds() / 1_000_000) }

    /// The machine's clocks.
    public static let system = RecorderTiming(
        wallMilliseconds: { Clock.wallMilliseconds() },
        monotonicNanoseconds: { Clock.monotonicNanoseconds() },
        bootNanoseconds: { Clock.bootNanoseconds() }
    )
}
