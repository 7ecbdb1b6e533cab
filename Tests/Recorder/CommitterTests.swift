import NotificationStore
import Support
import System
import Testing

@testable import Recorder

@Suite("The pauses between commits")
struct CommitterTests {
    @Test("hold up no notification that comes alone, and gather those that come meanwhile")
    func gathering() throws {
        let bench = try CommitterBench(commitMilliseconds: 5000, fullCount: 100)
        let begin = Clock.monotonicNanoseconds()
        bench.add([1])
        #expect(bench.finished(1) == [[1]])
        for number in 2...9 as ClosedRange<UInt64> { bench.add([number]) }
        #expect(bench.finished(8) == [Array(2...9)])
        // The second commit has not begun earlier than five seconds after the first one.
        #expect(Clock.monotonicNanoseconds() - begin >= 5_000_000_000)
        #expect(bench.stop())
    }

    @Test("end when enough notifications wait, and when the thread has to end")
    func enough() throws {
        let bench = try CommitterBench(commitMilliseconds: 3_600_000, fullCount: 4)
        bench.add([1])
        #expect(bench.finished(1) == [[1]])
        for number in 2...4 as ClosedRange<UInt64> { bench.add([number]) }
        Clock.sleep(milliseconds: 200)
        #expect(bench.mailbox.collect().finished.isEmpty)
        bench.add([5])
        #expect(bench.finished(4) == [Array(2...5)])
        bench.add([6, 7])
        #expect(bench.stop())
        #expect(bench.finished(2) == [[6, 7]])
    }
}

/// A thread that commits to a store of a test.
private final class CommitterBench {
    let mailbox: StoreMailbox
    private let thread: JoinableThread<Bool>
    private let item: StoreItem

    init(commitMilliseconds: UInt64, fullCount: Int) throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        item = try #require(bench.keeper.lastItem)
        let keeper = TestKeeper()
        mailbox = try StoreMailbox(countLimit: 1000, byteCountLimit: 1 << 20)
        var committer = Committer(
            mailbox: mailbox,
            open: keeper.opening,
            batchCount: 100,
            wallMilliseconds: { 0 }
        )
        committer.commitMilliseconds = commitMilliseconds
        committer.fullCount = fullCount
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
