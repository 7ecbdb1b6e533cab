import Support
import Synchronization
import Testing

@testable import System

@Suite("A thread for work that may take any time")
struct PatientThreadTests {
    /// Work that stands still until the test lets it go, as on a disk that hangs.
    private final class Gate: Sendable {
        private let wakeUp: WakeUp
        let begun = Mutex<[Int]>([])
        let passed = Mutex<[Int]>([])

        init() throws { wakeUp = try WakeUp() }

        func pass(_ number: Int) {
            begun.withLock { $0.append(number) }
            _ = try? Readiness.wait(for: [wakeUp.descriptor.number], timeoutMilliseconds: 60_000)
            passed.withLock { $0.append(number) }
        }

        func open() { wakeUp.announce() }

        func hasBegun() -> Bool { Patience.wait(seconds: 60) { !self.begun.withLock { $0.isEmpty } } }
    }

    private static func isDone<Value: Equatable>(
        _ outcome: PatientThread.Outcome<Value>,
        _ value: Value
    ) -> Bool {
        if case .done(value) = outcome { true } else { false }
    }

    private static func isLate(_ outcome: PatientThread.Outcome<Void>) -> Bool {
        if case .late = outcome { true } else { false }
    }

    private static func isRefused(_ outcome: PatientThread.Outcome<Void>) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    @Test("does the work and returns its value")
    func values() {
        let thread = PatientThread(patienceMilliseconds: 60_000, limitCount: 1)
        #expect(!thread.isLate && thread.waitUntilDone(withinMilliseconds: 0))
        for number in 0..<1000 { #expect(Self.isDone(thread.run { number * 2 }, number * 2)) }
        #expect(!thread.isLate)
    }

    @Test("makes its owner wait once, does late work in its order, and is on time again afterwards")
    func late() throws {
        let gate = try Gate()
        let thread = PatientThread(patienceMilliseconds: 2000, limitCount: 100)
        let begin = Clock.monotonicNanoseconds()
        for number in 0...60 { #expect(Self.isLate(thread.run { gate.pass(number) })) }
        // Not two seconds for each.
        #expect(Clock.monotonicNanoseconds() - begin < 60_000_000_000)
        #expect(thread.isLate && !thread.waitUntilDone(withinMilliseconds: 10))
        #expect(gate.passed.withLock { $0.isEmpty })
        gate.open()
        #expect(thread.waitUntilDone(withinMilliseconds: 60_000) && !thread.isLate)
        #expect(gate.passed.withLock { $0 } == Array(0...60))
        #expect(Patience.wait(seconds: 60) { Self.isDone(thread.run { 7 }, 7) })
    }

    @Test("refuses work when too much waits, and does not do it later")
    func limit() throws {
        let gate = try Gate()
        let thread = PatientThread(patienceMilliseconds: 1, limitCount: 3)
        #expect(Self.isLate(thread.run { gate.pass(0) }))
        // It does not wait any more once it has begun.
        #expect(gate.hasBegun())
        for number in 1...3 { #expect(Self.isLate(thread.run { gate.pass(number) })) }
        for number in 4...9 { #expect(Self.isRefused(thread.run { gate.pass(number) })) }
        gate.open()
        #expect(thread.waitUntilDone(withinMilliseconds: 60_000))
        #expect(gate.passed.withLock { $0 } == [0, 1, 2, 3])
    }

    @Test("ends with its owner, after the work that waits")
    func ends() throws {
        let gate = try Gate()
        // The link names the thread that reads it: PID/task/TID.
        let name = Mutex("")
        let held = Mutex<PatientThread?>(PatientThread(patienceMilliseconds: 1, limitCount: 10))
        weak let watched = held.withLock { $0 }
        held.withLock { held in
            _ = held?.run {
                let link = (try? Processes.executablePath(link: "/proc/thread-self")) ?? ""
                name.withLock { $0 = link }
            }
            for number in 0..<3 { _ = held?.run { gate.pass(number) } }
            held = nil
        }
        #expect(watched == nil && gate.hasBegun())
        let path = "/proc/\(name.withLock { $0 })"
        #expect(path.contains("/task/") && (try? FileStatus(path: path)) != nil)
        gate.open()
        #expect(Patience.wait(seconds: 60) { (try? FileStatus(path: path)) == nil })
        #expect(gate.passed.withLock { $0 } == [0, 1, 2])
    }
}
