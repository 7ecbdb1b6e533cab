import Support
import System
import Testing

@Suite("Background work")
struct BackgroundWorkTests {
    @Test("gives way, and comes back where that is allowed")
    func thereAndBack() throws {
        // A thread of its own: the others of this process go on as they are.
        let thread = try JoinableThread { () -> (start: Bool, there: Bool, mayReturn: Bool, end: Bool) in
            let start = BackgroundWork.isSet()
            let mayReturn = BackgroundWork.allowReturn()
            BackgroundWork.set(true)
            let there = BackgroundWork.isSet()
            BackgroundWork.set(false)
            return (start, there, mayReturn, BackgroundWork.isSet())
        }
        let seen = try #require(thread.join())
        #expect(!seen.start && seen.there)
        // Neither more nor less than the truth: what cannot come back must not go.
        #expect(seen.mayReturn == !seen.end)
    }

    @Test("is what a child may begin with", arguments: [true, false])
    func child(isBackground: Bool) throws {
        var child = ChildProcess(executable: "/bin/sleep", arguments: ["sleep", "60"], environment: [])
        child.isBackground = isBackground
        let processID = try child.start()
        #expect(BackgroundWork.isSet(of: processID) == isBackground)
        try Processes.send(.kill, to: processID)
        #expect(Processes.wait(for: processID) != nil)
    }
}
