internal import CLinux
internal import Glibc
internal import Synchronization

/// Writes whole lines to a log and never waits: a line that cannot be written at once is dropped.
///
/// Other processes share standard error, the shell among them, so this class never changes its flags. What it does
/// instead depends on the kind of file:
/// - A pipe, FIFO or terminal is opened a second time through `/proc/self/fd`, non-blocking; that descriptor has its
///   own flags. A write of up to 4096 bytes (PIPE_BUF) then succeeds whole or not at all. Where the kernel refuses the
///   second open (another user made the pipe), poll(2) is asked before each write. Then a write can wait only when
///   another process writes in the same instant.
/// - A socket, such as systemd's journal, is sent to with MSG_DONTWAIT.
/// - A regular file is written as it is.
///
/// A write to a pipe without a reader raises SIGPIPE, which the process must ignore or handle.
public final class LineOutput: Sendable {
    /// The longest line in bytes, with its line feed: the most that a pipe takes in one piece.
    public static let lineBytes = 4096

    private enum Way: Sendable {
        case write
        case pollAndWrite
        case send
    }

    private let way: Way
    private let number: Int32
    private let isOwned: Bool
    /// True when the last line was cut short, so that the next must start on a new line.
    private let isTorn = Atomic<Bool>(false)

    /// Writes to a descriptor with another owner, such as 2. It must stay open as long as this object lives.
    public convenience init(sharing number: Int32) {
        self.init(sharing: number, reopening: true)
    }

    /// Does the same. `reopening: false` acts as if the kernel refused the second open.
    package init(sharing number: Int32, reopening: Bool) {
        var status = stat()
        let mode = unsafe fstat(number, &status) == 0 ? status.st_mode : 0
        if rt_is_regular(mode) != 0 || rt_is_socket(mode) != 0 {
            way = rt_is_socket(mode) != 0 ? .send : .write
            isOwned = false
            self.number = number
        } else if reopening, let again = try? Self.open("/proc/self/fd/\(number)", 0) {
            way = .write
            isOwned = true
            self.number = again
        } else {
            way = .pollAndWrite
            isOwned = false
            self.number = number
        }
    }

    /// Appends to a file, close-on-exec. Makes the file, with mode 0640, when it does not exist.
    ///
    /// - Throws: the errno of `open`; `system.enxio` for a FIFO that no process reads.
    public init(appendingTo path: String) throws(SystemCallError) {
        number = try Self.open(path, O_APPEND | O_CREAT)
        way = .write
        isOwned = true
    }

    /// Checks whether ``init(appendingTo:)`` would succeed now. Makes nothing.
    ///
    /// - Throws: the error that ``init(appendingTo:)`` would throw.
    public static func check(appendingTo path: String) throws(SystemCallError) {
        do throws(SystemCallError) {
            _ = CLinux.close(try open(path, O_APPEND))
        } catch {
            guard error.reason == .enoent else { throw error }
            try Directory.checkEntryCanBeMade(path: path)
        }
    }

    deinit {
        if isOwned { _ = CLinux.close(number) }
    }

    /// Writes one line with one call. `line` must end with a line feed and have no other.
    ///
    /// - Returns: false when the line was dropped, or cut short by a full disk; the caller counts these.
    public func write(_ line: [UInt8]) -> Bool {
        guard line.count <= Self.lineBytes else { return false }
        if isTorn.load(ordering: .relaxed) {
            // The rest of the cut line is lost; a line feed ends it.
            guard transfer([UInt8(ascii: "\n")]) == 1 else { return false }
            isTorn.store(false, ordering: .relaxed)
        }
        let count = transfer(line)
        if count > 0 && count < line.count { isTorn.store(true, ordering: .relaxed) }
        return count == line.count
    }

    private func transfer(_ bytes: [UInt8]) -> Int {
        let number = self.number
        if way == .pollAndWrite {
            var wanted = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&wanted, 1, 0) == 1, wanted.revents & Int16(POLLOUT) != 0 else { return 0 }
        }
        while true {
            let count = unsafe bytes.withUnsafeBytes { block in
                if way == .send {
                    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                    return unsafe send(number, block.baseAddress, block.count, flags)
                }
                return unsafe CLinux.write(number, block.baseAddress, block.count)
            }
            if count >= 0 { return count }
            if errno != EINTR { return 0 }
        }
    }

    private static func open(_ path: String, _ flags: Int32) throws(SystemCallError) -> Int32 {
        let all = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags
        return try retrying("open") { unsafe rt_open(path, all, 0o640) }
    }
}
