import Support
import System
import Testing

@Suite("Background work")
struct BackgroundWorkTests {
    @Test("puts a thread into the background, and takes it out where that is allowed")
    func backgroundAndReturn() throws {
        // The test uses its own thread, so the other threads of this process stay as they are.
        let thread = try JoinableThread { () -> (there: Bool, mayReturn: Bool, end: Bool) in
            let mayReturn = BackgroundWork.allowReturn()
            BackgroundWork.set(true)
            let there = BackgroundWork.isSet()
            BackgroundWork.set(false)
            return (there, mayReturn, BackgroundWork.isSet())
        }
        let seen = try #require(thread.join())
        #expect(seen.there)
        // `allowReturn` must be exact: a process that cannot leave the background must not enter it.
        #expect(seen.mayReturn == !seen.end)
    }

    @Test("can be set for a child process at its start", arguments: [true, false])
    func child(isBackground: Bool) throws {
        var child = ChildProcess(executable: "/bin/sleep", arguments: ["sleep", "60"], environment: [])
        child.isBackground = isBackground
        let processID = try child.start()
        // A child of tests that run in the background is in the background, too.
        #expect(BackgroundWork.isSet(of: processID) == (isBackground || BackgroundWork.isSet()))
        try Processes.send(.kill, to: processID)
        #expect(Processes.wait(for: processID) != nil)
    }
}
