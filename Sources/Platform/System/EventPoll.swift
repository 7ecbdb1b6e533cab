internal import CLinux
internal import Glibc

/// Waits for many descriptors at once (epoll(7)).
///
/// A descriptor that is closed leaves the poll by itself, unless a duplicate of it is still open in some process.
@safe public struct EventPoll: ~Copyable {
    /// The events to wait for on one descriptor.
    public struct Interest: OptionSet, Sendable {
        /// The event bits of epoll_ctl(2).
        public let rawValue: UInt32

        /// Takes event bits of epoll_ctl(2).
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Bytes have arrived, or the stream has ended.
        public static let readable = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        /// There is room for bytes that are written.
        public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The poll reports each arrival once, and not again while unread bytes are left.
        public static let edgeTriggered = Interest(rawValue: EPOLLET.rawValue)
        /// A connection waits on a listening socket. Of several processes that wait on one socket the kernel wakes only
        /// one. The kernel takes EPOLLEXCLUSIVE with few other bits, so do not combine this with other interests.
        public static let connection = Interest(rawValue: EPOLLIN.rawValue | UInt32(RT_EPOLLEXCLUSIVE))
    }

    /// A descriptor that is ready, and why.
    public struct Event: Sendable {
        /// The token that the descriptor was added with.
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

    /// Makes a poll that returns at most `eventCountLimit` events from one wait.
    ///
    /// - Throws: the errno of `epoll_create1`.
    public init(eventCountLimit: Int) throws(SystemCallError) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .last("epoll_create1") }
        descriptor = FileDescriptor(takingOwnership: number)
        unsafe ready = [epoll_event](repeating: unsafe epoll_event(), count: eventCountLimit)
    }

    /// Adds a descriptor to the poll. The next wait also reports what is already ready.
    ///
    /// - Throws: the errno of `epoll_ctl`; `system.eexist` when the descriptor was added before.
    public borrowing func add(_ descriptorNumber: Int32, token: UInt64, interest: Interest)
        throws(SystemCallError)
    {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_ADD, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    /// Changes what the poll reports of a descriptor. The next wait also reports what is already ready.
    ///
    /// - Throws: the errno of `epoll_ctl`; `system.enoent` when the descriptor is not in the poll.
    public borrowing func change(_ descriptorNumber: Int32, token: UInt64, interest: Interest)
        throws(SystemCallError)
    {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_MOD, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    /// Takes a descriptor out of the poll.
    ///
    /// - Throws: the errno of `epoll_ctl`; `system.enoent` when the descriptor is not in the poll.
    public borrowing func remove(_ descriptorNumber: Int32) throws(SystemCallError) {
        var event = unsafe epoll_event()
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_DEL, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    /// Waits until a descriptor is ready or the time is over. Nil waits without a limit.
    ///
    /// - Returns: the number of events; 0 when the time is over or a signal came.
    /// - Throws: the errno of `epoll_wait`.
    public mutating func wait(timeoutMilliseconds: Int32?) throws(SystemCallError) -> Int {
        let number = descriptor.number
        let count = unsafe ready.withUnsafeMutableBufferPointer { events in
            unsafe epoll_wait(number, events.baseAddress, Int32(events.count), timeoutMilliseconds ?? -1)
        }
        if count < 0 && errno == EINTR { return 0 }
        guard count >= 0 else { throw .last("epoll_wait") }
        return Int(count)
    }

    /// Returns an event of the last wait. `index` must be less than the number that the wait returned.
    public borrowing func event(at index: Int) -> Event {
        let event = unsafe ready[index]
        return unsafe Event(token: event.data.u64, bits: event.events)
    }
}
