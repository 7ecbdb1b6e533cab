import Support
import Synchronization
import Testing

@testable import System

@Suite("What the scheduler does with a thread")
struct ThreadScheduleTests {
    private static let schedule = ThreadSchedule(
        isRunnable: true,
        runNanoseconds: 500,
        waitNanoseconds: 70,
        turnCount: 9
    )

    @Test(
        "is read from the texts of the kernel",
        arguments: [
            ("7 (retentiond-reco) R 1 7", "500 70 9\n", true),
            ("7 (odd) S (name) S 1 7", "500 70 9\n", false),
            ("7 (odd\nname) D 1 7", "500 70 9", false),
        ]
    )
    func read(stat: String, schedstat: String, isRunnable: Bool) throws {
        let read = try #require(ThreadSchedule(stat: stat, schedstat: schedstat))
        var expected = Self.schedule
        expected.isRunnable = isRunnable
        #expect(read == expected)
    }

    @Test(
        "is unknown when the texts are not understood",
        arguments: [
            ("", "1 2 3"), ("7 name R 1", "1 2 3"), ("7 (name)", "1 2 3"), ("7 (name) R", ""),
            ("7 (name) R", "1 2"), ("7 (name) R", "1 2 x"), ("7 (name) R", "1 2 99999999999999999999"),
            ("7 (name) R", "1 2 3 4"), ("7 (name) R", "-1 2 3"),
        ]
    )
    func malformed(stat: String, schedstat: String) {
        #expect(ThreadSchedule(stat: stat, schedstat: schedstat) == nil)
    }

    @Test("shows for how long a thread has waited, also while it still waits")
    func waits() {
        func wait(_ change: (inout ThreadSchedule) -> Void) -> UInt64 {
            var later = Self.schedule
            change(&later)
            return later.waitNanoseconds(since: Self.schedule, interval: 1000)
        }
        #expect(wait { _ in } == 1000)
        // It runs all the time.
        #expect(wait { $0.runNanoseconds += 1000 } == 0)
        // It sleeps.
        #expect(wait { $0.isRunnable = false } == 0)
        // It has waited, and has had a turn.
        #expect(wait { ($0.turnCount, $0.waitNanoseconds) = (10, 400) } == 330)
        #expect(wait { ($0.turnCount, $0.waitNanoseconds) = (10, 60) } == 0)
        var asleep = Self.schedule
        asleep.isRunnable = false
        // It has begun to wait a moment ago.
        #expect(Self.schedule.waitNanoseconds(since: asleep, interval: 1000) == 0)
    }

    @Test("is known of the other threads of this process")
    func otherThreads() throws {
        let isOver = Mutex(false)
        let thread = try JoinableThread {
            while !isOver.withLock({ $0 }) {}
            return true
        }
        let before = ThreadSchedule.ofOtherThreads()
        // The thread that spins has more processor time at some later look.
        let hasRun = Patience.wait(seconds: 60) {
            ThreadSchedule.ofOtherThreads().contains { number, schedule in
                schedule.runNanoseconds > (before[number]?.runNanoseconds ?? .max)
            }
        }
        isOver.withLock { $0 = true }
        #expect(thread.join() == true)
        #expect(hasRun)
    }
}
