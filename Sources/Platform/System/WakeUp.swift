internal import CLinux
internal import Glibc

/// Wakes a thread that waits for descriptors, from any other thread (eventfd(2)).
///
///     let wakeUp = try WakeUp()
///     try poll.add(wakeUp.descriptor.number, token: 0, interest: .readable)   // the thread that waits
///     wakeUp.announce()                                                       // any other thread
///     wakeUp.clear()                                                          // the thread that has waited
public final class WakeUp: Sendable {
    /// The descriptor, for epoll and poll. It is readable after ``announce()`` and until ``clear()``.
    public let descriptor: FileDescriptor

    /// Makes a descriptor that is not readable.
    ///
    /// - Throws: the errno of `eventfd`.
    public init() throws(SystemCallError) {
        let number = try retrying("eventfd") { rt_eventfd() }
        descriptor = FileDescriptor(takingOwnership: number)
    }

    /// Makes the descriptor readable. Several calls before ``clear()`` count as one.
    public func announce() {
        var one: UInt64 = 1
        // The write fails only when 2^64 - 2 announcements wait, and then the descriptor is readable all the same.
        _ = unsafe write(descriptor.number, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes the descriptor unreadable again. Call this before looking for what was announced: an announcement that
    /// comes in between makes the descriptor readable anew.
    public func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor.number, &count, MemoryLayout<UInt64>.size)
    }
}
