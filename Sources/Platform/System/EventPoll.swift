internal import CLinux
internal import Glibc

/// Waits for many descriptors at once (epoll(7)).
///
/// A closed descriptor leaves the poll by itself, unless a duplicate of it is still open somewhere.
@safe public struct EventPoll: ~Copyable {
    /// What to wait for on one descriptor.
    public struct Interest: OptionSet, Sendable {
        /// The bits of epoll_ctl(2).
        public let rawValue: UInt32

        /// Takes bits of epoll_ctl(2).
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Bytes or the end of the stream.
        public static let readable = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        /// Told once for each arrival, not again while something is left.
        public static let edgeTriggered = Interest(rawValue: EPOLLET.rawValue)
        /// A connection that waits. Of several processes that wait for one socket only one is woken; the kernel takes
        /// EPOLLEXCLUSIVE with few other bits, so this goes with no other interest.
        public static let connection = Interest(rawValue: EPOLLIN.rawValue | UInt32(RT_EPOLLEXCLUSIVE))
    }

    /// One descriptor that is ready.
    public struct Event: Sendable {
        /// What the descriptor was added with.
        public let token: UInt64
        private let bits: UInt32

        init(token: UInt64, bits: UInt32) {
            self.token = token
            self.bits = bits
        }

        /// There is something to read, be it the end.
        public var isReadable: Bool { bits & EPOLLIN.rawValue != 0 }
        /// The other side is gone for both directions: nothing written now would be read.
        public var isPeerGone: Bool { bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
        /// The other side will send nothing more; it may still read.
        public var isPeerFinished: Bool { bits & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 }
    }

    private let descriptor: FileDescriptor
    private var ready: [epoll_event]

    /// Makes a poll that hands out at most `eventCountLimit` events in one wait.
    ///
    /// - Throws: the errno of `epoll_create1`.
    public init(eventCountLimit: Int) throws(SystemCallError) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .last("epoll_create1") }
        descriptor = FileDescriptor(takingOwnership: number)
        unsafe ready = [epoll_event](repeating: unsafe epoll_event(), count: eventCountLimit)
    }

    /// Waits for `descriptorNumber` from now on. What is ready already is told, too.
    ///
    /// - Throws: the errno of `epoll_ctl`, `system.eexist` for a descriptor that is waited for already.
    public borrowing func add(
        _ descriptorNumber: Int32,
        token: UInt64,
        interest: Interest
    ) throws(SystemCallError) {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_ADD, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    /// Waits for `descriptorNumber` no longer.
    ///
    /// - Throws: the errno of `epoll_ctl`, `system.enoent` for one that is not waited for.
    public borrowing func remove(_ descriptorNumber: Int32) throws(SystemCallError) {
        var event = unsafe epoll_event()
        let result = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_DEL, descriptorNumber, &event)
        guard result == 0 else { throw .last("epoll_ctl") }
    }

    /// Waits until something is ready or the time is over; nil waits for ever.
    ///
    /// - Returns: how many events there are, 0 after the time or a signal.
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

    /// The event of the last wait at `index`, less than what the wait returned.
    public borrowing func event(at index: Int) -> Event {
        let event = unsafe ready[index]
        return unsafe Event(token: event.data.u64, bits: event.events)
    }
}
