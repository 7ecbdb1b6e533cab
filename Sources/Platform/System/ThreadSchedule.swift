internal import CLinux

/// What the scheduler has done with a thread so far (`stat` and `schedstat` of the thread in proc(5)). Two values of the
/// same thread show for how long it has waited for a processor between them.
///
///     let before = ThreadSchedule.ofOtherThreads()
///     // A moment later:
///     let after = ThreadSchedule.ofOtherThreads()
public struct ThreadSchedule: Sendable, Equatable {
    /// True when the thread runs, or waits for a processor.
    public var isRunnable: Bool
    /// For how long the thread has run, in nanoseconds.
    public var runNanoseconds: UInt64
    /// For how long the thread has waited for a processor, in nanoseconds, without a wait that has not ended.
    public var waitNanoseconds: UInt64
    /// How many times the thread got a processor.
    public var turnCount: UInt64

    /// Makes a value.
    public init(isRunnable: Bool, runNanoseconds: UInt64, waitNanoseconds: UInt64, turnCount: UInt64) {
        self.isRunnable = isRunnable
        self.runNanoseconds = runNanoseconds
        self.waitNanoseconds = waitNanoseconds
        self.turnCount = turnCount
    }

    /// Reads the texts of the files `stat` and `schedstat`. Nil when they are not understood.
    init?(stat: String, schedstat: String) {
        // The name of the thread stands in parentheses, and may have some of its own.
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let state = stat[nameEnd...].dropFirst().split(separator: " ").first
        let words = schedstat.split(whereSeparator: { $0 == " " || $0 == "\n" })
        let numbers = words.compactMap { UInt64($0) }
        guard let state, words.count == 3, numbers.count == 3 else { return nil }
        self.init(
            isRunnable: state == "R",
            runNanoseconds: numbers[0],
            waitNanoseconds: numbers[1],
            turnCount: numbers[2]
        )
    }

    /// The other threads of this process by their numbers. Empty when they cannot be read.
    public static func ofOtherThreads() -> [Int32: ThreadSchedule] {
        let folder = "/proc/self/task"
        guard let directory = try? FileDescriptor.openDirectory(path: folder),
            let names = try? Directory.names(in: directory, limitCount: threadLimit)
        else { return [:] }
        let own = rt_thread_id()
        var schedules: [Int32: ThreadSchedule] = [:]
        for name in names {
            guard let number = Int32(name), number != own else { continue }
            guard let stat = ProcessHandle.text("\(folder)/\(name)/stat"),
                let schedstat = ProcessHandle.text("\(folder)/\(name)/schedstat"),
                let schedule = ThreadSchedule(stat: stat, schedstat: schedstat)
            else { continue }
            schedules[number] = schedule
        }
        return schedules
    }

    /// Compares two values of a thread.
    ///
    /// - Parameters:
    ///   - earlier: an earlier value of the same thread.
    ///   - interval: the time since then, in nanoseconds.
    /// - Returns: for how long the thread has waited for a processor since then, in nanoseconds.
    public func waitNanoseconds(since earlier: ThreadSchedule, interval: UInt64) -> UInt64 {
        // The kernel counts a wait when it has ended.
        let stillWaits = isRunnable && earlier.isRunnable && turnCount == earlier.turnCount
        if stillWaits && runNanoseconds == earlier.runNanoseconds { return interval }
        return waitNanoseconds >= earlier.waitNanoseconds ? waitNanoseconds - earlier.waitNanoseconds : 0
    }

    private static let threadLimit = 1000
}
