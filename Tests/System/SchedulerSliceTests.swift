import Support
import System
import Testing

@Suite("The slice of a thread")
struct SchedulerSliceTests {
    @Test("changes for the calling thread and those that it starts, and its niceness stays")
    func request() throws {
        let before = SchedulerSlice.nanoseconds
        let niceness = ServiceThread.niceness
        let thread = try JoinableThread { () -> UInt64 in
            ServiceThread.giveWay(by: 1)
            let mine = ServiceThread.niceness
            SchedulerSlice.request(nanoseconds: 200_000)
            let started = (try? JoinableThread { SchedulerSlice.nanoseconds })?.join()
            let slice = SchedulerSlice.nanoseconds
            return ServiceThread.niceness == mine && started == slice ? slice : 1
        }
        // A kernel without slices reports 0.
        #expect(thread.join() == (before == 0 ? 0 : 200_000))
        #expect(SchedulerSlice.nanoseconds == before && ServiceThread.niceness == niceness)
    }
}
