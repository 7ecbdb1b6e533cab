internal import Synchronization

/// A thread for work that a disk may hold up for any time. Its owner waits for a piece of work for a limited time, and goes on
/// when it is not done by then; the work is then done later. All work is done in the order in which it was given. One thread
/// must give it.
///
///     let thread = PatientThread(patienceMilliseconds: 1000)
///     thread.run { file.write(line) }          // .done(true)
public final class PatientThread: Sendable {
    /// What has become of a piece of work.
    public enum Outcome<Value: Sendable>: Sendable {
        /// It is done, and has returned this.
        case done(Value)
        /// It is not done yet, and will be.
        case late
        /// It will not be done, because too much waits.
        case refused
    }

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
    public init(patienceMilliseconds patience: UInt64, limitCount: Int) {
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

    /// Has the thread do a piece of work, and waits for it, but not when earlier work is late. Where no thread can be started, the
    /// calling thread does it.
    public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Outcome<Value> {
        guard let shared, start(shared) else { return .done(work()) }
        let result = Result<Value>()
        let isBehind = isLate
        let isGiven = shared.state.withLock { state in
            guard state.waiting.count < limitCount else { return false }
            state.waiting.append { result.value.withLock { $0 = work() } }
            state.givenCount += 1
            return true
        }
        guard isGiven else { return .refused }
        shared.isGiven.announce()
        guard !isBehind, waitUntilDone(withinNanoseconds: patienceNanoseconds) else { return .late }
        return result.value.withLock { $0.map { .done($0) } } ?? .late
    }

    /// Waits until all work is done.
    ///
    /// - Returns: false when it is not done within so many milliseconds.
    @discardableResult
    public func waitUntilDone(withinMilliseconds milliseconds: UInt64) -> Bool {
        waitUntilDone(withinNanoseconds: milliseconds * 1_000_000)
    }

    private func waitUntilDone(withinNanoseconds nanoseconds: UInt64) -> Bool {
        guard let shared else { return true }
        let end = Clock.monotonicNanoseconds() + nanoseconds
        while true {
            shared.isDone.clear()
            if !isLate { return true }
            let now = Clock.monotonicNanoseconds()
            guard now < end else { return false }
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
