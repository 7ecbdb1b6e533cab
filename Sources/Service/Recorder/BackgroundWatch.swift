internal import System

/// Decides whether the recorder is in the background (``BackgroundWork``), where it takes no processor from nginx and the pool.
///
/// On a machine whose processors are always busy, a thread in the background would hardly run at all. So a thread of its own
/// looks every 200 ms how long the others have waited for a processor. When one of them has waited for a twentieth of that time or
/// longer, all leave the background, and go back after ten seconds in which none has waited so long. The part is small because a
/// notification needs a processor several times, and its waits add up.
struct BackgroundWatch {
    /// True while the other threads are to be in the background.
    private(set) var isBackground = true
    private var last: [Int32: ThreadSchedule] = [:]
    private var lastLook: UInt64?
    /// When a thread was last seen to wait.
    private var waitedAt: UInt64 = 0

    /// How often the thread looks, in milliseconds.
    private static let lookMilliseconds: Int64 = 200
    /// The part of the time for which a thread may wait: one in so many.
    private static let waitPart: UInt64 = 20
    /// The slice of the thread that looks. The kernel takes a thread with a short slice sooner when it wakes.
    private static let sliceNanoseconds: UInt64 = 100_000
    /// For how long nobody must have waited before the threads go back, in nanoseconds.
    private static let calmNanoseconds: UInt64 = 10_000_000_000

    /// Takes a look at the threads.
    ///
    /// - Parameters:
    ///   - threads: what the scheduler has done with each thread, by its number.
    ///   - now: nanoseconds of the monotonic clock.
    mutating func look(_ threads: [Int32: ThreadSchedule], atNanoseconds now: UInt64) {
        defer { (last, lastLook) = (threads, now) }
        guard let lastLook, now > lastLook else { return }
        let interval = now - lastLook
        let waits = threads.contains { number, schedule in
            guard let earlier = last[number] else { return false }
            return schedule.waitNanoseconds(since: earlier, interval: interval) >= interval / Self.waitPart
        }
        if waits {
            waitedAt = now
            isBackground = false
        } else if !isBackground, now - waitedAt >= Self.calmNanoseconds {
            isBackground = true
        }
    }

    /// Decides whether the calling thread and those that it starts may enter the background.
    ///
    /// - Parameter niceness: the niceness outside the background.
    /// - Returns: true when they can leave it again, and nobody has chosen another scheduling policy than the usual one for them.
    static func isPossible(niceness: Int32) -> Bool {
        BackgroundWork.hasUsualPolicy && BackgroundWork.allowReturn(toNiceness: niceness)
    }

    /// Starts the thread that looks. Does nothing where it is not possible to leave the background, or where threads cannot be seen.
    ///
    /// - Parameter niceness: the niceness outside the background.
    static func start(niceness: Int32) {
        guard isPossible(niceness: niceness) else { return }
        try? ServiceThread.start {
            SchedulerSlice.request(nanoseconds: Self.sliceNanoseconds)
            var watch = Self()
            while true {
                let threads = ThreadSchedule.ofOtherThreads()
                watch.look(threads, atNanoseconds: Clock.monotonicNanoseconds())
                for number in threads.keys where BackgroundWork.isSet(of: number) != watch.isBackground {
                    BackgroundWork.set(watch.isBackground, of: number)
                }
                Clock.sleep(milliseconds: Self.lookMilliseconds)
            }
        }
    }
}
