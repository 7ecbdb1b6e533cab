internal import CLinux

/// Wakes a thread that waits for descriptors, at a time (timerfd_create(2)).
///
///     let timer = try WakeTimer()
///     try poll.add(timer.descriptor.number, token: 0, interest: .readable)
///     timer.set(atNanoseconds: Clock.monotonicNanoseconds() + 20_000_000)
///
/// A thread that waits again and again with a limit of time has the kernel set and remove a timer each time. A timer that is set
/// once costs that once.
public final class WakeTimer: Sendable {
    /// The descriptor, for epoll and poll. It is readable from the time that was set until ``clear()`` or ``set(atNanoseconds:)``.
    public let descriptor: FileDescriptor

    /// Makes a timer that is not set.
    ///
    /// - Throws: the errno of `timerfd_create`.
    public init() throws(SystemCallError) {
        let number = try retrying("timerfd_create") { rt_timerfd() }
        descriptor = FileDescriptor(takingOwnership: number)
    }

    /// Sets the time, in place of an earlier one. A time that has passed makes the descriptor readable at once.
    ///
    /// - Parameter time: nanoseconds of the monotonic clock.
    public func set(atNanoseconds time: UInt64) {
        // It fails only for a descriptor that is no timer, or for a time that is none. 0 would remove the timer.
        _ = rt_timerfd_set(descriptor.number, max(time, 1))
    }

    /// Removes the time, and makes the descriptor unreadable.
    public func clear() {
        _ = rt_timerfd_set(descriptor.number, 0)
    }
}
