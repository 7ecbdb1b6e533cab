internal import Synchronization
public import System

/// A thread that returns a value. It is a thread and not a task, so it may block for any time.
public final class JoinableThread<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let hasEnded: WakeUp

    /// Starts the thread.
    public init(_ body: @escaping @Sendable () -> Value) throws(SystemCallError) {
        hasEnded = try WakeUp()
        try ServiceThread.start { [self] in
            let value = body()
            result.withLock { $0 = value }
            hasEnded.announce()
        }
    }

    /// Waits until the thread has ended and returns its value.
    public func join() -> Value? {
        // A signal ends a wait early.
        while (try? Readiness.wait(for: [hasEnded.descriptor.number], timeoutMilliseconds: -1)) == [] {}
        return result.withLock { $0 }
    }
}
