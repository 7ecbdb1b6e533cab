internal import Glibc

/// Starts threads for tests that need something to happen at the same time. No test waits for these threads.
public enum BackgroundThread {
    /// Runs `body` on a new thread.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
        let result = unsafe pthread_create(&thread, nil, Self.run, context)
        precondition(result == 0, "pthread_create failed")
        pthread_detach(thread)
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        context in
        if let context = unsafe context {
            unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        }
        return nil
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
