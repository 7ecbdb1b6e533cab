internal import CLinux
internal import Glibc

/// Waits for events on many connections at once (epoll(7)). A connection without traffic takes no processor time.
///
/// The kernel reports each change once (EPOLLET), so the caller has to read and write until the socket blocks. A closed
/// socket leaves the poll by itself. An event may be about an older socket of the same connection; the caller then finds
/// nothing to read.
@safe struct ConnectionPoll: ~Copyable {
    private static var eventCountLimit: Int { 256 }
    private let descriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "epoll_create1: errno \(errno)")
        unsafe events = .allocate(capacity: Self.eventCountLimit)
    }

    deinit {
        unsafe events.deallocate()
        _ = Glibc.close(descriptor)
    }

    /// Adds a socket under the number of its connection. Returns false when the kernel has no memory for it.
    func add(_ socket: Int32, number: Int) -> Bool {
        let bits = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        var event = unsafe epoll_event(events: bits, data: epoll_data_t(u64: UInt64(number)))
        return unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0
    }

    /// Waits for an event, at most so many nanoseconds.
    ///
    /// - Returns: the number of events.
    func wait(nanoseconds: UInt64) -> Int {
        var timeout = timespec()
        timeout.tv_sec = time_t(nanoseconds / 1_000_000_000)
        timeout.tv_nsec = Int(nanoseconds % 1_000_000_000)
        let count = unsafe epoll_pwait2(descriptor, events, Int32(Self.eventCountLimit), &timeout, nil)
        precondition(count >= 0 || errno == EINTR, "epoll_pwait2: errno \(errno)")
        return max(0, Int(count))
    }

    /// The number of the connection that an event of the last wait is about.
    func number(ofEvent index: Int) -> Int { Int(unsafe events[index].data.u64) }
}
