import Support
import System
import Testing

@Suite("A thread beside the one that serves")
struct ServiceThreadTests {
    @Test("gives way alone: the niceness of the others stays")
    func giveWay() throws {
        let before = ServiceThread.niceness
        let thread = try JoinableThread { () -> Int32 in
            ServiceThread.giveWay(by: 3)
            let once = ServiceThread.niceness
            // The greatest niceness is 19.
            ServiceThread.giveWay(by: 100)
            return once * 100 + ServiceThread.niceness
        }
        #expect(thread.join() == min(19, before + 3) * 100 + 19)
        #expect(ServiceThread.niceness == before)
    }
}
