internal import CLinux
internal import Glibc

/// Waits for many descriptors at once (epoll(7)).
///
/// A descriptor that is closed leaves the poll by itself, unless a duplicate of it is still open in some process.
@safe public struct EventPoll: ~Copyable {
    public struct Interest: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let readable = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The poll reports each arrival once, and not again while unread bytes are left.
        public static let edgeTriggered = Interest(rawValue: EPOLLET.rawValue)
        /// A connection waits on a listening socket. Of several processes that wait on one socket the kernel wakes only
        /// one. The kernel takes EPOLLEXCLUSIVE with few other bits, so do not combine this with other interests.
        public static let connection = Interest(rawValue: EPOLLIN.rawValue | UInt32(RT_EPOLLEXCLUSIVE))
    }

    public struct Event: Sendable {
        public let token: UInt64
        private let bits: UInt32

        init(token: UInt64, bits: UInt32) {
            self.token = token
            self.bits = bits
        }

        /// True when the other side is gone in both directions: nobody would read what is written now.
        public var isPeerGone: Bool { bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
        /// True when the other side will send nothing more. It may still read.
        public var isPeerFinished: Bool { bits & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 }
    }

    private let descriptor: FileDescriptor
    private var ready: [epoll_event]

    public init(eventCountLimit: Int) throws(SystemCallError) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .last("epoll_create1") }
        descriptor = FileDescriptor(takingOwnership: number)
        unsafe ready = [epoll_event](repeating: unsafe epoll_event(), count: eventCountLimit)
    }

    public borrowing func add(_ descriptorNumber: Int32, token: UInt64, interest: Interest)
        throws(SystemCallError)
    {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_ADD, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    public borrowing func change(_ descriptorNumber: Int32, token: UInt64, interest: Interest)
        throws(SystemCallError)
    {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_MOD, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    public borrowing func remove(_ descriptorNumber: Int32) throws(SystemCallError) {
        var event = unsafe epoll_event()
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_DEL, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    public mutating func wait(timeoutMilliseconds: Int32?) throws(SystemCallError) -> Int {
        let number = descriptor.number
        let count = unsafe ready.withUnsafeMutableBufferPointer { events in
            unsafe epoll_wait(number, events.baseAddress, Int32(events.count), timeoutMilliseconds ?? -1)
        }
        if count < 0 && errno == EINTR { return 0 }
        guard count >= 0 else { throw .last("epoll_wait") }
        return Int(count)
    }

    public borrowing func event(at index: Int) -> Event {
        let event = unsafe ready[index]
        return unsafe Event(token: event.data.u64, bits: event.events)
    }
}

public enum Readiness {
    /// Waits until one of `descriptors` can be read or has lost its other end, for at most `timeoutMilliseconds`. A negative
    /// timeout waits without a limit. Returns the indexes of those descriptors; empty when the time is over or a signal
    /// came.
    public static func wait(for descriptors: [Int32], timeoutMilliseconds: Int32) throws(SystemCallError)
        -> [Int]
    {
        var list = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = unsafe poll(&list, nfds_t(list.count), timeoutMilliseconds)
        if count < 0 && errno == EINTR { return [] }
        guard count >= 0 else { throw .last("poll") }
        return list.indices.filter { list[$0].revents != 0 }
    }
}
