internal import System

/// Waiting for a condition that a test can only check again and again.
public enum Patience {
    /// Checks the condition every few milliseconds, so that a slow machine only makes a test slower. Returns false when
    /// `seconds` have passed.
    public static func wait(seconds: Double, _ condition: () -> Bool) -> Bool {
        let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
        while !condition() {
            if Clock.monotonicNanoseconds() > deadline { return false }
            pause(milliseconds: 3)
        }
        return true
    }

    /// Lets time pass. For actions at random moments and for load that lasts a while, never to wait for an event.
    public static func pause(milliseconds: Int32) {
        _ = try? Readiness.wait(for: [], timeoutMilliseconds: milliseconds)
    }
}
