import NotificationStore
import Support
import System
import Testing

@testable import Recorder

@Suite("The pauses between commits")
struct CommitterTests {
    @Test("hold up no notification that comes alone, and gather those that come meanwhile")
    func gathering() throws {
        let bench = try RecorderBench()
        #expect(try bench.reply(bench.body(1)).status == 200)
        let item = try #require(bench.keeper.lastItem)
        let keeper = TestKeeper()
        let mailbox = try StoreMailbox(countLimit: 1000, byteCountLimit: 1 << 20)
        var committer = Committer(
            mailbox: mailbox,
            open: keeper.opening,
            batchCount: 100,
            wallMilliseconds: { 0 }
        )
        committer.commitMilliseconds = 5000
        let thread = try JoinableThread { [committer] in
            committer.run()
            return true
        }
        func add(_ number: UInt64) {
            mailbox.add([StoreMailbox.Entry(number: number, item: item, byteCount: 1)])
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
        let begin = Clock.monotonicNanoseconds()
        add(1)
        #expect(finished(1) == [[1]])
        for number in 2...9 as ClosedRange<UInt64> { add(number) }
        #expect(finished(8) == [Array(2...9)])
        // The second commit has not begun earlier than five seconds after the first one.
        #expect(Clock.monotonicNanoseconds() - begin >= 5_000_000_000)
        mailbox.stop()
        #expect(thread.join() == true)
    }
}
