internal import Glibc
internal import Synchronization

/// A thread that returns a value. It is a thread and not a task, so it may block for any time.
///
/// Its stack has 64 MiB on every machine. The default size follows `ulimit -s`, and is 2 MiB where that is unlimited:
/// too little for the deepest recursion with a sanitizer's frames.
///
/// The conformance to `Sendable` is unchecked only because of the thread's number: all shared state is behind a mutex
/// or never changes.
@safe public final class JoinableThread<Value: Sendable>: @unchecked Sendable {
    private static var stackByteCount: Int { 64 << 20 }
    private let result = Mutex<Value?>(nil)
    private let thread = Mutex<pthread_t?>(nil)

    /// Starts the thread.
    ///
    /// - Throws: the errno of `pthread_create`.
    public init(_ body: @escaping @Sendable () -> Value) throws(SystemCallError) {
        var number: pthread_t = 0
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<Runnable>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }
        // Only the thread has the body, and lets go of it at its end: the body may hold whoever holds this object.
        let runnable = Runnable { self.result.withLock { stored in stored = body() } }
        let argument = unsafe Unmanaged.passRetained(runnable).toOpaque()
        // The initializer of `pthread_attr_t` is not used here: the C module that it is said to come from depends on
        // the other files of the build.
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

    /// Waits until the thread has ended and returns its value.
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
