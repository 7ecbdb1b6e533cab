import Support
import System
import Testing

@Suite("A wake-up call between threads")
struct WakeUpTests {
    private func isReadable(_ wakeUp: WakeUp) throws -> Bool {
        !(try Readiness.wait(for: [wakeUp.descriptor.number], timeoutMilliseconds: 0)).isEmpty
    }

    @Test("makes the descriptor readable until it is cleared, however often it came")
    func announceAndClear() throws {
        let wakeUp = try WakeUp()
        #expect(try !isReadable(wakeUp))
        for count in 1...3 {
            for _ in 0..<count { wakeUp.announce() }
            #expect(try isReadable(wakeUp))
            wakeUp.clear()
            #expect(try !isReadable(wakeUp))
        }
        // Clearing what was not announced does not wait.
        wakeUp.clear()
        #expect(try !isReadable(wakeUp))
    }

    @Test("ends the wait of another thread")
    func otherThread() throws {
        let wakeUp = try WakeUp()
        let waiting = try JoinableThread {
            (try? Readiness.wait(for: [wakeUp.descriptor.number], timeoutMilliseconds: -1))?.isEmpty == false
        }
        wakeUp.announce()
        #expect(waiting.join() == true)
    }
}
