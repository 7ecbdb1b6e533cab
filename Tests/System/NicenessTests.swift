import Support
import System
import Testing

@Suite("Niceness")
struct NicenessTests {
    @Test("goes up for background work, and back where that is allowed")
    func upAndBack() throws {
        // A thread of its own: niceness belongs to threads here, and the others of this process keep theirs.
        let thread = try JoinableThread { () -> (start: Int32, up: Int32, mayReturn: Bool, end: Int32) in
            let start = Niceness.current
            let mayReturn = Niceness.allowReturn()
            Niceness.set(start + Niceness.background)
            let up = Niceness.current
            Niceness.set(start)
            return (start, up, mayReturn, Niceness.current)
        }
        let seen = try #require(thread.join())
        #expect(seen.up == min(seen.start + Niceness.background, 19))
        #expect(!seen.mayReturn || seen.end == seen.start)
    }
}
