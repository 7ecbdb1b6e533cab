internal import Glibc
internal import Synchronization
public import System

/// A thread that runs beside a test and returns something. Not a task: it may block as long as it likes.
///
/// Its stack is large and of one size everywhere: what a thread gets otherwise follows `ulimit -s`, and is 2 MiB where
/// that is unlimited, too little for the deepest walks with a sanitizer's frames.
///
/// Unchecked because of the thread's number alone: all that is shared is behind a mutex or never changes.
@safe public final class JoinableThread<Value: Sendable>: @unchecked Sendable {
    private static var stackByteCount: Int { 64 << 20 }
    private let result = Mutex<Value?>(nil)
    private let body: @Sendable () -> Value
    private let thread = Mutex<pthread_t?>(nil)

    /// Starts it.
    ///
    /// - Throws: the errno of `pthread_create`.
    public init(_ body: @escaping @Sendable () -> Value) throws(SystemCallError) {
        self.body = body
        var number: pthread_t = 0
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<Runnable>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }
        let runnable = Runnable { self.result.withLock { [body] stored in stored = body() } }
        let argument = unsafe Unmanaged.passRetained(runnable).toOpaque()
        // Not made by its initializer: which C module that is said to come from depends on what else is compiled with it.
        let failure = unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room in
            guard let attributes = room.baseAddress else { return ENOMEM }
            unsafe pthread_attr_init(attributes)
            defer { unsafe pthread_attr_destroy(attributes) }
            unsafe pthread_attr_setstacksize(attributes, Self.stackByteCount)
            return unsafe pthread_create(&number, attributes, start, argument)
        }
        guard failure == 0 else {
            unsafe Unmanaged<Runnable>.fromOpaque(argument).release()
            throw SystemCallError(call: "pthread_create", Errno(rawValue: failure))
        }
        thread.withLock { $0 = number }
    }

    /// Waits until it has returned.
    public func join() -> Value? {
        let number = thread.withLock { stored in
            defer { stored = nil }
            return stored
        }
        if let number { pthread_join(number, nil) }
        return result.withLock { $0 }
    }
}

private final class Runnable: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    func run() { body() }
}
