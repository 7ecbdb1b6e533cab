import Support
import System
import Testing

@testable import Recorder

@Suite("The watch of the recorder's background")
struct BackgroundWatchTests {
    private static let second: UInt64 = 1_000_000_000
    private static let asleep = ThreadSchedule(
        isRunnable: false,
        runNanoseconds: 1,
        waitNanoseconds: 0,
        turnCount: 1
    )

    /// A thread that has waited so long in all, in milliseconds.
    private static func waited(_ milliseconds: UInt64) -> ThreadSchedule {
        var schedule = asleep
        schedule.waitNanoseconds = milliseconds * 1_000_000
        return schedule
    }

    /// Has a watch look every 200 ms, and returns what it decides each time.
    private static func decisions(_ looks: [[Int32: ThreadSchedule]]) -> [Bool] {
        var watch = BackgroundWatch()
        return looks.enumerated().map { number, threads in
            watch.look(threads, atNanoseconds: second + UInt64(number) * 200_000_000)
            return watch.isBackground
        }
    }

    @Test("leaves when a thread waits for a twentieth of the time, and not when it waits for less")
    func share() {
        #expect(Self.decisions([[7: Self.waited(0)], [7: Self.waited(9)]]) == [true, true])
        #expect(Self.decisions([[7: Self.waited(0)], [7: Self.waited(10)]]) == [true, false])
        // Two threads that wait for less each do not count as one that waits for the sum.
        #expect(
            Self.decisions([
                [7: Self.waited(0), 8: Self.waited(0)], [7: Self.waited(6), 8: Self.waited(6)],
            ]) == [true, true]
        )
    }

    @Test("leaves when a thread wants a processor and gets none, and not when it runs all the time")
    func starving() {
        var runnable = Self.asleep
        runnable.isRunnable = true
        var running = runnable
        running.runNanoseconds += 200_000_000
        #expect(Self.decisions([[7: runnable], [7: runnable]]) == [true, false])
        #expect(Self.decisions([[7: runnable], [7: running]]) == [true, true])
    }

    @Test("does not judge a thread that it sees for the first time, nor one that has ended")
    func comingAndGoing() {
        #expect(Self.decisions([[:], [7: Self.waited(5000)], [:], [8: Self.waited(5000)]]).allSatisfy { $0 })
    }

    @Test("goes back after ten seconds in which no thread has waited long")
    func back() {
        // The thread waits at the second look, and again at the 41st.
        let looks: [[Int32: ThreadSchedule]] = (0..<120).map { number in
            [7: Self.waited(number < 1 ? 0 : number < 40 ? 150 : 300)]
        }
        let decisions = Self.decisions(looks)
        // 50 looks are ten seconds.
        let expected = (0..<120).map { $0 < 1 || $0 >= 40 + 50 }
        #expect(decisions == expected)
    }

    @Test("is not possible for a thread that has another policy already")
    func policy() throws {
        let thread = try JoinableThread { () -> [Bool] in
            let mayReturn = BackgroundWork.allowReturn(toNiceness: 19) && !BackgroundWork.isSet()
            let before = BackgroundWatch.isPossible(niceness: 19) == mayReturn
            BackgroundWork.set(true)
            return [before, !BackgroundWatch.isPossible(niceness: 19)]
        }
        let seen = try #require(thread.join())
        #expect(seen == [true, true])
    }

    @Test("decides nothing from a clock that stands still")
    func still() {
        var watch = BackgroundWatch()
        watch.look([7: Self.waited(0)], atNanoseconds: 5)
        watch.look([7: Self.waited(1000)], atNanoseconds: 5)
        #expect(watch.isBackground)
    }
}
