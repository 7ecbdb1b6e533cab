internal import CLinux
internal import Glibc
internal import Synchronization

/// Writes whole lines to a log and never waits: a line that cannot be written at once is dropped. Other processes share
/// standard error, so this class never changes its flags. A pipe, FIFO or terminal is opened a second time through
/// `/proc/self/fd`, non-blocking; where the kernel refuses that (another user made the pipe), poll(2) is asked before each
/// write. A socket, such as systemd's journal, is sent to with MSG_DONTWAIT.
///
/// Several lines become one call: the kernel appends a whole write to a regular file before that of another process. Any
/// other kind of file gets at most 4096 bytes with a call (PIPE_BUF), in whole lines. A write to a pipe without a reader
/// raises SIGPIPE, which the process must ignore or handle.
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
    private let callByteCount: Int
    private let isTorn = Atomic<Bool>(false)

    /// Writes to a descriptor with another owner, such as 2. It must stay open as long as this object lives.
    public init(sharing number: Int32, reopening: Bool = true) {
        var status = stat()
        let mode = unsafe fstat(number, &status) == 0 ? status.st_mode : 0
        callByteCount = Self.callByteCount(mode)
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

    /// Appends to a file, close-on-exec. Makes the file, with mode 0640, when it does not exist. When the last line of the
    /// file has no end, the next line begins with a line feed. Throws the errno of `open`; `system.enxio` for a FIFO that no
    /// process reads.
    public init(appendingTo path: String) throws(SystemCallError) {
        number = try Self.open(path, O_APPEND | O_CREAT)
        way = .write
        isOwned = true
        var status = stat()
        callByteCount = Self.callByteCount(unsafe fstat(number, &status) == 0 ? status.st_mode : 0)
        // Many lines may come at once, and a reader need not be there in the same moment.
        if callByteCount != .max { rt_grow_pipe(number) }
        if callByteCount == .max, status.st_size > 0, Self.isTorn(path, at: status.st_size) {
            isTorn.store(true, ordering: .relaxed)
        }
    }

    /// Returns true when the last of the first `size` bytes of a file ends no line. A file that cannot be read counts as
    /// whole.
    private static func isTorn(_ path: String, at size: off_t) -> Bool {
        guard let file = try? FileDescriptor.openForReading(path: path) else { return false }
        var last: [UInt8] = [0]
        guard (try? file.read(into: &last, at: Int(size) - 1)) == 1 else { return false }
        return last[0] != UInt8(ascii: "\n")
    }

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

    /// Writes one line with one call. `line` must end with a line feed and have no other. Returns false when the line was
    /// dropped, or cut short by a full disk; the caller counts these.
    public func write(_ line: [UInt8]) -> Bool { write(line.span, ends: [line.count]) == 1 }

    public func write(_ text: Span<UInt8>, ends: [Int]) -> Int {
        var written = 0
        var next = 0
        while next < ends.count {
            let start = next > 0 ? ends[next - 1] : 0
            var last = next
            guard ends[next] - start <= Self.lineBytes else {
                next += 1
                continue
            }
            while last + 1 < ends.count, ends[last + 1] - start <= callByteCount,
                ends[last + 1] - ends[last] <= Self.lineBytes
            {
                last += 1
            }
            let taken = takeLines(text.extracting(start..<ends[last]))
            let whole = ends[next...last].prefix { $0 - start <= taken }.count
            written += whole
            let isCut = taken > (whole > 0 ? ends[next + whole - 1] - start : 0)
            if isCut { isTorn.store(true, ordering: .relaxed) }
            // A disk that takes a part is full. The lines behind that part are tried once more, without the torn line.
            next = taken > 0 ? next + whole + (isCut ? 1 : 0) : last + 1
        }
        return written
    }

    private func takeLines(_ lines: Span<UInt8>) -> Int {
        if isTorn.load(ordering: .relaxed) {
            // The rest of the cut line is lost; a line feed ends it.
            let lineFeed = [UInt8(ascii: "\n")]
            guard transfer(lineFeed.span) == 1 else { return 0 }
            isTorn.store(false, ordering: .relaxed)
        }
        return transfer(lines)
    }

    private static func callByteCount(_ mode: mode_t) -> Int {
        rt_is_regular(mode) != 0 ? .max : lineBytes
    }

    private func transfer(_ bytes: Span<UInt8>) -> Int {
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
