internal import System

/// The pause after the begin of a commit, in which notifications gather for the next one.
///
/// Fewer commits leave more of the processors and of the disk to others. Only many notifications wait for each other: one that comes
/// alone comes after the pause, and is committed at once.
struct CommitPause: Sendable {
    /// The number of notifications that ends the pause.
    let fullCount: Int
    /// When the pause ends without them, in nanoseconds of the monotonic clock.
    let endNanoseconds: UInt64

    /// The rest of the pause in milliseconds, rounded up.
    var restMilliseconds: Int32 {
        let now = Clock.monotonicNanoseconds()
        return now < endNanoseconds ? Int32(clamping: (endNanoseconds - now + 999_999) / 1_000_000) : 0
    }
}
