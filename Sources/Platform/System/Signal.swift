internal import CLinux
internal import Glibc

public enum Signal: Int32, Sendable, Hashable, CaseIterable {
    /// SIGHUP: reload.
    case hangup = 1
    /// SIGINT: stop within the drain time.
    case interrupt = 2
    /// SIGQUIT: stop gracefully.
    case quit = 3
    case kill = 9
    /// SIGUSR1: reopen log files.
    case user1 = 10
    /// SIGTERM: stop within the drain time.
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
        Self.blockAll()
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

    public static func blockAll() {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
    }
}

enum SignalMask {
    /// Calls `body` while every signal to this thread is blocked, so that none can end it half-way. Signals that come
    /// meanwhile act afterwards.
    static func holdingSignals(_ body: () throws(SystemCallError) -> Void) throws(SystemCallError) {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
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
