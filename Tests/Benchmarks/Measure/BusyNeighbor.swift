internal import Synchronization
internal import System

/// Keeps a further processor busy for a share of the time, with bare verifications.
///
/// The processors of a virtual machine are often two threads of one core. A program then needs more processor time while the
/// other processor is busy. So work that is compared with that of a program beside others is measured beside this.
final class BusyNeighbor: Sendable {
    private let verification: Mutex<BareVerification>
    private let isStopping = Atomic(false)

    init(bodies: String, leaf: String) throws {
        verification = Mutex(try BareVerification(bodies: bodies, leaf: leaf))
    }

    /// Calls `body` while a thread of its own works for this share of the time.
    ///
    /// - Parameters:
    ///   - share: the share of the time, 0 to 1.
    ///   - body: what is measured.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, and the errno of `pthread_create`.
    func beside<Value>(share: Double, _ body: () throws -> Value) throws -> Value {
        isStopping.store(false, ordering: .relaxed)
        let thread = try JoinableThread { self.run(min(1, max(0, share))) }
        defer {
            isStopping.store(true, ordering: .relaxed)
            _ = thread.join()
        }
        return try body()
    }

    private func run(_ share: Double) -> Bool {
        /// The milliseconds that this thread has to sleep for what it has worked.
        var owed = 0.0
        while !isStopping.load(ordering: .relaxed) {
            let start = Clock.monotonicNanoseconds()
            // About a millisecond.
            if share > 0 { verification.withLock { _ = try? $0.microseconds(first: 0, count: 12) } }
            let worked = Double(Clock.monotonicNanoseconds() - start) / 1_000_000
            owed += share > 0 ? worked * (1 - share) / share : 1
            // Sleeps are of whole milliseconds.
            guard owed >= 1 else { continue }
            let slept = Clock.monotonicNanoseconds()
            Clock.sleep(milliseconds: Int64(owed))
            owed -= Double(Clock.monotonicNanoseconds() - slept) / 1_000_000
        }
        return true
    }
}
