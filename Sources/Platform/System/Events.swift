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
        let bits: UInt32

        /// True when the other side is gone in both directions: nobody would read what is written now.
        public var isPeerGone: Bool { bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
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

public enum Signal: Int32, Sendable, Hashable, CaseIterable {
    case hangup = 1
    case interrupt = 2
    case quit = 3
    case kill = 9
    /// SIGUSR1: reopen log files.
    case user1 = 10
    case terminate = 15
    case child = 17
    case proceed = 18
    case stop = 19
}

/// Holds signals back from the program's first moment until it reads them (``SignalDescriptor``), or until it lets them
/// act as in any other program (``release()``).
public struct BlockedSignals: Sendable {
    private let before: sigset_t

    public init() {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        self.before = before
    }

    public func release() {
        var mask = before
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}

/// Receives signals through a descriptor (signalfd(2)). No handler ever runs, so no system call is interrupted.
public struct SignalDescriptor: ~Copyable, Sendable {
    public let descriptor: FileDescriptor

    public init(receiving signals: [Signal]) throws(SystemCallError) {
        _ = BlockedSignals()
        var chosen = sigset_t()
        unsafe sigemptyset(&chosen)
        for signal in signals { unsafe sigaddset(&chosen, signal.rawValue) }
        let number = unsafe signalfd(-1, &chosen, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        guard number >= 0 else { throw .last("signalfd") }
        descriptor = FileDescriptor(takingOwnership: number)
    }

    public borrowing func next() throws(SystemCallError) -> Signal? {
        while true {
            var record = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            let count = unsafe CLinux.read(descriptor.number, &record, size)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return nil }
            guard count == size else { throw .last("read") }
            if let signal = Signal(rawValue: Int32(bitPattern: record.ssi_signo)) { return signal }
        }
    }
}

/// A thread beside the one that serves, for work that blocks. It runs until its function returns.
public enum ServiceThread {
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

/// Wakes a thread that waits for descriptors, from any other thread (eventfd(2)).
public final class WakeUp: Sendable {
    public let descriptor: FileDescriptor

    public init() throws(SystemCallError) {
        let number = try retrying("eventfd") { rt_eventfd() }
        descriptor = FileDescriptor(takingOwnership: number)
    }

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

/// Sends notifications to systemd, or to another manager that set NOTIFY_SOCKET (sd_notify(3)), without libsystemd.
public struct ServiceManager: Sendable {
    private let name: [UInt8]?

    public init() {
        let value = ProcessEnvironment.value(of: "NOTIFY_SOCKET").map { Array($0.utf8) }
        // The value is a path, or an abstract name: that is written with @ and begins with a zero byte.
        name = value.flatMap { $0.first == UInt8(ascii: "/") || $0.first == UInt8(ascii: "@") ? $0 : nil }
    }

    public func notify(_ lines: [String]) {
        guard let name else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: name)
            if name.first == UInt8(ascii: "@") { unsafe bytes[0] = 0 }
        }
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return }
        let owner = FileDescriptor(takingOwnership: number)
        let text = Array(lines.joined(separator: "\n").utf8)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(offset + name.count)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(owner.number, text, text.count, flags, $0, length)
            }
        }
    }
}

/// The stream to systemd's journal that a service has as standard output or standard error (systemd.exec(5)).
public enum JournalStream {
    public static let variable = "JOURNAL_STREAM"

    /// Returns true when the journal reads what is written to a descriptor: `stream`, the value of ``variable``, names
    /// the file of that descriptor. A value alone proves nothing, because children inherit it and may have another
    /// standard error.
    public static func reads(
        descriptor number: Int32, stream: String? = ProcessEnvironment.value(of: variable)
    ) -> Bool {
        guard let stream else { return false }
        let parts = stream.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
        var status = stat()
        guard parts.count == 2, unsafe fstat(number, &status) == 0 else { return false }
        return parts[0] == UInt64(status.st_dev) && parts[1] == UInt64(status.st_ino)
    }
}
