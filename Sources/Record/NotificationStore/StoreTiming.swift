internal import System

/// The clocks of a store. Tests have others.
public struct StoreTiming {
    /// Returns the time, milliseconds since 1970.
    public var now: () -> Int64
    /// Returns the milliseconds of a clock that never goes back.
    public var elapsed: () -> Int64
    /// Waits for that many milliseconds.
    public var sleep: (Int64) -> Void

    public init(now: @escaping () -> Int64, elapsed: @escaping () -> Int64, sleep: @escaping (Int64) -> Void)
    {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
    }

    /// The machine's clocks.
    public static var system: StoreTiming {
        StoreTiming(
            now: Clock.wallMilliseconds,
            elapsed: { Int64(Clock.monotonicNanoseconds() / 1_000_000) },
            sleep: { milliseconds in
                // A signal may end the wait early. Nothing here depends on its length.
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: Int32(clamping: milliseconds))
            }
        )
    }
}
