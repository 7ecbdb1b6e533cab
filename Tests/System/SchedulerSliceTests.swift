import Support
import System
import Testing

@Suite("The slice of a thread")
struct SchedulerSliceTests {
    @Test("changes for the calling thread alone, and its niceness stays")
    func request() throws {
        let before = SchedulerSlice.nanoseconds
        let niceness = ServiceThread.niceness
        let thread = try JoinableThread { () -> UInt64 in
            ServiceThread.giveWay(by: 1)
            let mine = ServiceThread.niceness
            SchedulerSlice.request(nanoseconds: 200_000)
            return ServiceThread.niceness == mine ? SchedulerSlice.nanoseconds : 1
        }
        // A kernel without slices reports 0.
        #expect(thread.join() == (before == 0 ? 0 : 200_000))
        #expect(SchedulerSlice.nanoseconds == before && ServiceThread.niceness == niceness)
    }
}
