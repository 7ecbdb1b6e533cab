import Support
import Synchronization
import System
import Testing

@Suite("A thread for work that may take any time")
struct PatientThreadTests {
    /// Work that stands still until the test lets it go, as on a disk that hangs.
    private final class Gate: Sendable {
        private let wakeUp: WakeUp
        let passed = Mutex<[Int]>([])

        init() throws { wakeUp = try WakeUp() }

        func pass(_ number: Int) {
            _ = try? Readiness.wait(for: [wakeUp.descriptor.number], timeoutMilliseconds: 60_000)
            passed.withLock { $0.append(number) }
        }

        func open() { wakeUp.announce() }
    }

    @Test("does the work and returns its value")
    func values() {
        let thread = PatientThread(patienceMilliseconds: 60_000)
        #expect(!thread.isLate)
        for number in 0..<1000 { #expect(thread.run { number * 2 } == number * 2) }
        #expect(!thread.isLate)
    }

    @Test("makes its owner wait once, does late work in its order, and is on time again afterwards")
    func late() throws {
        let gate = try Gate()
        let thread = PatientThread(patienceMilliseconds: 50)
        #expect(thread.run { gate.pass(0) } == nil && thread.isLate)
        // The owner waits no more: a hundred thousand milliseconds would be too long for any test.
        let begin = Clock.monotonicNanoseconds()
        for number in 1...40 { #expect(thread.run { gate.pass(number) } == nil) }
        #expect(Clock.monotonicNanoseconds() - begin < 40 * 50_000_000)
        #expect(gate.passed.withLock { $0.isEmpty })
        gate.open()
        #expect(Patience.wait(seconds: 60) { !thread.isLate })
        #expect(gate.passed.withLock { $0 } == Array(0...40))
        #expect(Patience.wait(seconds: 60) { thread.run { 7 } == 7 })
    }

    @Test("refuses work when too much waits, and does not do it later")
    func limit() throws {
        let gate = try Gate()
        let thread = PatientThread(patienceMilliseconds: 50, limitCount: 3)
        for number in 0..<10 { #expect(thread.run { gate.pass(number) } == nil) }
        gate.open()
        #expect(Patience.wait(seconds: 60) { !thread.isLate })
        // The first left the queue when it began.
        #expect(gate.passed.withLock { $0 } == [0, 1, 2, 3])
    }

    @Test("ends with its owner, after the work that waits")
    func ends() throws {
        let gate = try Gate()
        let held = Mutex<PatientThread?>(PatientThread(patienceMilliseconds: 50))
        weak let watched = held.withLock { $0 }
        for number in 0..<3 { #expect(held.withLock { $0?.run { gate.pass(number) } } == nil) }
        held.withLock { $0 = nil }
        #expect(watched == nil)
        gate.open()
        #expect(Patience.wait(seconds: 60) { gate.passed.withLock { $0 } == [0, 1, 2] })
    }
}
