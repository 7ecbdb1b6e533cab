internal import System

/// The pause after a commit begins. Notifications gather in it for the next commit.
///
/// Fewer commits leave more of the processors and of the disk to others. There is a pause only after a commit of several
/// notifications: a sender who waits for each answer must not wait for a pause each time.
struct CommitPause: Sendable {
    /// The number of notifications that ends the pause.
    let fullCount: Int
    /// How long no further one comes until the pause ends, in milliseconds. Senders who all wait for their answers send nothing.
    let quietMilliseconds: Int32
    /// When the pause ends without them, in nanoseconds of the monotonic clock.
    let endNanoseconds: UInt64

    /// The rest of the pause in milliseconds, rounded up.
    var restMilliseconds: Int32 {
        let now = Clock.monotonicNanoseconds()
        return now < endNanoseconds ? Int32(clamping: (endNanoseconds - now + 999_999) / 1_000_000) : 0
    }
}
