internal import Glibc
internal import System

/// One kept connection of a ``LoadClient``: at most one request is under way on it.
struct LoadConnection {
    enum Progress {
        case waiting
        case complete(status: Int)
        case ended
    }

    private(set) var descriptor: Int32 = -1
    private var request: [UInt8] = []
    private var sentCount = 0
    private var received = [UInt8](repeating: 0, count: 16_384)
    private(set) var receivedCount = 0
    /// Where the last answer ended and how it was framed.
    private(set) var frame: AnswerFrame?
    /// Whether the next answer is to a HEAD request, and so without a body.
    var expectsHeadOnly = false
    private(set) var isBusy = false
    /// When the request was due, in monotonic nanoseconds.
    private(set) var dueTime: UInt64 = 0
    /// When its answer is a stall.
    private(set) var deadline: UInt64 = 0

    var isOpen: Bool { descriptor >= 0 }
    var wantsToSend: Bool { isBusy && sentCount < request.count }

    mutating func open(port: UInt16) -> Bool {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(number, generic, size)
            }
        }
        var one: Int32 = 1
        unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard connected == 0, fcntl(number, F_SETFL, O_NONBLOCK) == 0 else {
            _ = Glibc.close(number)
            return false
        }
        descriptor = number
        return true
    }

    mutating func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
        isBusy = false
    }

    mutating func start(
        _ bytes: [UInt8],
        dueTime: UInt64,
        deadline: UInt64,
        patch: (inout [UInt8]) -> Void
    ) {
        request = bytes
        patch(&request)
        sentCount = 0
        receivedCount = 0
        isBusy = true
        self.dueTime = dueTime
        self.deadline = deadline
    }

    /// Sends what the socket takes; false when the other end is gone.
    mutating func send() -> Bool {
        while sentCount < request.count {
            let offset = sentCount
            let count = unsafe request.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: offset),
                    bytes.count - offset,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            sentCount += count
        }
        return true
    }

    /// Reads what is there and looks whether the answer is complete.
    mutating func receive() -> Progress {
        while receivedCount < received.count - 1 {
            let offset = receivedCount
            let number = descriptor
            let count = unsafe received.withUnsafeMutableBytes { bytes in
                unsafe recv(number, bytes.baseAddress?.advanced(by: offset), bytes.count - 1 - offset, 0)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return .waiting }
            guard count > 0 else { return .ended }
            receivedCount += count
            received[receivedCount] = 0
            guard let end = AnswerFrame.find(in: received, count: receivedCount, isHead: expectsHeadOnly)
            else { continue }
            frame = end
            isBusy = false
            if end.closes { close() }
            return .complete(status: end.status)
        }
        return .ended
    }

    /// Whether the bytes after the header are these.
    func hasBody(_ other: [UInt8]) -> Bool {
        let start = frame?.bodyStart ?? 0
        guard other.count == receivedCount - start else { return false }
        return unsafe received.withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left.advanced(by: start), right, other.count) == 0
            }
        }
    }

    /// The header of the answer.
    var head: [UInt8] { Array(received[..<min(frame?.bodyStart ?? receivedCount, receivedCount)]) }
    /// The bytes after the header, as they came.
    var rawBody: [UInt8] { Array(received[min(frame?.bodyStart ?? 0, receivedCount)..<receivedCount]) }
}
