import NotificationStore
import Support
import System
import Testing

@testable import Recorder

@Suite("The pauses between commits")
struct CommitterTests {
    @Test("gather what comes after a commit of several")
    func gathering() throws {
        let bench = try CommitterBench(commitMilliseconds: 5000, fullCount: 100)
        let begin = Clock.monotonicNanoseconds()
        bench.add([1, 2])
        #expect(bench.finished(2) == [[1, 2]])
        for number in 3...9 as ClosedRange<UInt64> { bench.add([number]) }
        #expect(bench.finished(7) == [Array(3...9)])
        // The second commit has not begun earlier than five seconds after the first one.
        #expect(Clock.monotonicNanoseconds() - begin >= 5_000_000_000)
        #expect(bench.stop())
    }

    @Test("hold up nobody who sends one notification after the other")
    func alone() throws {
        let bench = try CommitterBench(commitMilliseconds: 3_600_000, fullCount: 100)
        for number in 1...20 as ClosedRange<UInt64> {
            bench.add([number])
            #expect(bench.finished(1) == [[number]])
        }
        #expect(bench.stop())
    }

    @Test("end when enough notifications wait, and when the thread has to end")
    func enough() throws {
        let bench = try CommitterBench(commitMilliseconds: 3_600_000, fullCount: 4)
        bench.add([1, 2])
        #expect(bench.finished(2) == [[1, 2]])
        for number in 3...5 as ClosedRange<UInt64> { bench.add([number]) }
        Clock.sleep(milliseconds: 200)
        #expect(bench.mailbox.collect().finished.isEmpty)
        bench.add([6])
        #expect(bench.finished(4) == [Array(3...6)])
        bench.add([7, 8])
        #expect(bench.stop())
        #expect(bench.finished(2) == [[7, 8]])
    }

    @Test(
        "end when half of the room is taken",
        arguments: [(count: 6, bytes: 1000), (count: 1000, bytes: 6)]
    )
    func halfFull(room: (count: Int, bytes: Int)) throws {
        let bench = try CommitterBench(commitMilliseconds: 3_600_000, fullCount: 100, room)
        bench.add([1, 2])
        #expect(bench.finished(2) == [[1, 2]])
        bench.add([3, 4])
        Clock.sleep(milliseconds: 200)
        #expect(bench.mailbox.collect().finished.isEmpty)
        bench.add([5])
        #expect(bench.finished(3) == [[3, 4, 5]])
        #expect(bench.stop())
    }

    @Test("end when no further one comes for a while, and not when none has come")
    func quiet() throws {
        let bench = try CommitterBench(commitMilliseconds: 3_600_000, fullCount: 100, quietMilliseconds: 50)
        bench.add([1, 2])
        #expect(bench.finished(2) == [[1, 2]])
        Clock.sleep(milliseconds: 200)
        let begin = Clock.monotonicNanoseconds()
        bench.add([3, 4, 5])
        #expect(bench.finished(3) == [[3, 4, 5]])
        // Not before a whole wait without another one.
        #expect(Clock.monotonicNanoseconds() - begin >= 50_000_000)
        #expect(bench.stop())
    }

    @Test("end when a whole batch waits")
    func wholeBatch() throws {
        let bench = try CommitterBench(commitMilliseconds: 3_600_000, fullCount: 16, batchCount: 2)
        bench.add([1, 2, 3, 4, 5])
        #expect(bench.finished(4) == [[1, 2], [3, 4]])
        Clock.sleep(milliseconds: 200)
        #expect(bench.mailbox.collect().finished.isEmpty)
        bench.add([6])
        #expect(bench.finished(2) == [[5, 6]])
        #expect(bench.stop())
    }
}

/// A thread that commits to a store of a test.
private final class CommitterBench {
    let mailbox: StoreMailbox
    private let thread: JoinableThread<Bool>
    private let item: StoreItem

    init(
        commitMilliseconds: UInt64,
        fullCount: Int,
        _ room: (count: Int, bytes: Int) = (1000, 1 << 20),
        batchCount: Int = 100,
        quietMilliseconds: Int32 = .max
    ) throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        item = try #require(bench.keeper.lastItem)
        let keeper = TestKeeper()
        mailbox = try StoreMailbox(countLimit: room.count, byteCountLimit: room.bytes)
        var committer = Committer(
            mailbox: mailbox,
            open: keeper.opening,
            batchCount: batchCount,
            wallMilliseconds: { 0 }
        )
        committer.commitMilliseconds = commitMilliseconds
        committer.fullCount = fullCount
        committer.quietMilliseconds = quietMilliseconds
        thread = try JoinableThread { [committer] in
            committer.run()
            return true
        }
    }

    func add(_ numbers: [UInt64]) {
        mailbox.add(numbers.map { StoreMailbox.Entry(number: $0, item: item, byteCount: 1) })
    }

    /// Returns the numbers of the batches that have ended, when `count` notifications have an outcome.
    func finished(_ count: Int) -> [[UInt64]] {
        var batches: [[UInt64]] = []
        let isThere = Patience.wait(seconds: 60) {
            batches += mailbox.collect().finished.map(\.numbers)
            return batches.joined().count >= count
        }
        return isThere ? batches : []
    }

    /// Returns true when the thread has ended.
    func stop() -> Bool {
        mailbox.stop()
        return thread.join() == true
    }
}
