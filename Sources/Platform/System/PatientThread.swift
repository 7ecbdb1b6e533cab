internal import Synchronization

/// A thread for work that a disk may hold up for any time. Its owner waits for a piece of work for a limited time, and goes on
/// when it is not done by then; the work is then done later. All work is done in the order in which it was given. One thread
/// must give it.
///
///     let thread = PatientThread(patienceMilliseconds: 1000)
///     thread.run { file.write(line) }          // nil: not done yet, or never done because too much waits
public final class PatientThread: Sendable {
    private let patienceNanoseconds: UInt64
    private let limitCount: Int
    private let shared: Shared?

    /// What the two threads share.
    private final class Shared: Sendable {
        struct State {
            var waiting: [@Sendable () -> Void] = []
            var givenCount = 0
            var doneCount = 0
            var isStarted = false
            var isClosed = false
        }

        let state = Mutex(State())
        let isGiven: WakeUp
        let isDone: WakeUp

        init() throws(SystemCallError) {
            isGiven = try WakeUp()
            isDone = try WakeUp()
        }

        /// The thread.
        func serve() {
            while true {
                isGiven.clear()
                let (next, isClosed) = state.withLock { state in
                    (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
                }
                if let next {
                    next()
                    state.withLock { $0.doneCount += 1 }
                    isDone.announce()
                } else if isClosed {
                    return
                } else {
                    _ = try? Readiness.wait(for: [isGiven.descriptor.number], timeoutMilliseconds: -1)
                }
            }
        }
    }

    /// Makes a thread, which starts with its first work.
    ///
    /// - Parameters:
    ///   - patience: how long ``run(_:)`` waits, in milliseconds.
    ///   - limitCount: how many pieces of work may wait for one that is not done. More are refused.
    public init(patienceMilliseconds patience: UInt64, limitCount: Int = 64) {
        patienceNanoseconds = patience * 1_000_000
        self.limitCount = limitCount
        // Where there are no descriptors, the owner does the work itself.
        shared = try? Shared()
    }

    deinit {
        guard let shared else { return }
        shared.state.withLock { $0.isClosed = true }
        shared.isGiven.announce()
    }

    /// True when work was not done in time and is not done yet.
    public var isLate: Bool { shared?.state.withLock { $0.doneCount < $0.givenCount } ?? false }

    /// Has the thread do a piece of work. Where no thread can be started, the calling thread does it.
    ///
    /// - Returns: what the work returns. Nil when it is not done in time; and at once when earlier work is late, or when so much
    ///   waits that this work is refused.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value? {
        guard let shared, start(shared) else { return work() }
        let result = Result<Value>()
        let isBehind = isLate
        let number = shared.state.withLock { state in
            guard state.waiting.count < limitCount else { return nil as Int? }
            state.waiting.append { result.value.withLock { $0 = work() } }
            state.givenCount += 1
            return state.givenCount
        }
        guard let number else { return nil }
        shared.isGiven.announce()
        guard !isBehind else { return nil }
        let end = Clock.monotonicNanoseconds() + patienceNanoseconds
        while true {
            shared.isDone.clear()
            if shared.state.withLock({ $0.doneCount >= number }) { return result.value.withLock { $0 } }
            let now = Clock.monotonicNanoseconds()
            guard now < end else { return nil }
            _ = try? Readiness.wait(
                for: [shared.isDone.descriptor.number],
                timeoutMilliseconds: Int32((end - now) / 1_000_000 + 1)
            )
        }
    }

    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private func start(_ shared: Shared) -> Bool {
        shared.state.withLock { state in
            guard !state.isStarted else { return true }
            state.isStarted = (try? ServiceThread.start { shared.serve() }) != nil
            return state.isStarted
        }
    }
}
