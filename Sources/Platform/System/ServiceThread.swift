internal import Glibc

/// A thread beside the one that serves, for work that blocks. It runs until its function returns.
public enum ServiceThread {
    /// Starts a thread with the signal mask of this one.
    ///
    /// - Throws: the errno of `pthread_create`.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        var number: pthread_t = 0
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }
        let argument = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        let failure = unsafe pthread_create(&number, nil, start, argument)
        guard failure == 0 else {
            unsafe Unmanaged<Work>.fromOpaque(argument).release()
            throw SystemCallError(call: "pthread_create", Errno(rawValue: failure))
        }
        pthread_detach(number)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
