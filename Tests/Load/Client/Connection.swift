internal import CLinux
internal import Glibc
internal import System

/// One kept connection to a port on 127.0.0.1, plain or TLS. At most one request is under way on it. No function here blocks.
@safe final class Connection {
    /// The stages from a closed to a usable connection.
    enum Phase {
        case closed, connecting, shakingHands, ready
    }

    /// The result of ``advance()``.
    enum Progress {
        /// The connection waits for the server.
        case waiting
        /// The answer is complete.
        case answered
        /// The connection could not be opened.
        case unopened
        /// The connection has ended before the answer, or while no request was under way.
        case lost
        /// The server has sent bytes that are not an answer, or bytes while no request was under way.
        case broken
    }

    /// The largest answer in bytes, with its head.
    private let answerByteLimit: Int

    private(set) var phase = Phase.closed
    /// The socket; -1 while closed.
    private(set) var descriptor: Int32 = -1
    private var port: UInt16 = 0
    private var tls: TLSStream?
    private let received: UnsafeMutablePointer<UInt8>
    private var receivedCount = 0
    private var reader = AnswerReader(isHead: false)
    private var request: ArraySlice<UInt8> = []
    private var sentCount = 0
    /// Room for a request that a patch changes.
    private var patched: [UInt8] = []
    /// True while a request is under way, or waits for the connection to open.
    private(set) var isBusy = false
    /// Why the connection could not be opened.
    private(set) var openingFailure: String?
    /// When the request was due, in monotonic nanoseconds.
    private(set) var dueTime: UInt64 = 0
    /// When the client gives up the request, in monotonic nanoseconds.
    private(set) var deadline: UInt64 = 0

    /// Makes a connection for answers of at most `answerByteLimit` bytes.
    init(answerByteLimit: Int = 16_384) {
        self.answerByteLimit = answerByteLimit
        // The kernel gives memory for a page when something is written there: a connection without an answer has none.
        unsafe received = .allocate(capacity: answerByteLimit)
    }

    deinit {
        close()
        unsafe received.deallocate()
    }

    // MARK: - Opening

    /// Begins to connect. ``advance()`` goes on as soon as the socket has been added to a poll.
    func open(port: UInt16, network: UInt8 = 0, trust: TLSTrust?) -> Bool {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return fail("socket: \(Errno(rawValue: errno).name)") }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, size)
        if network > 0 {
            let failed = unsafe Self.withAddress(0x7F00_0001 | UInt32(network) << 16, port: 0) {
                unsafe bind(descriptor, $0, $1)
            }
            guard failed == 0 else { return fail("bind: \(Errno(rawValue: errno).name)") }
        }
        tls = trust?.stream(descriptor: descriptor)
        guard trust == nil || tls != nil else { return fail("no memory for TLS") }
        phase = .connecting
        self.port = port
        return true
    }

    private func fail(_ reason: String) -> Bool {
        openingFailure = reason
        close()
        return false
    }

    func close() {
        tls = nil
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
        phase = .closed
    }

    /// Closes the connection and drops its request.
    func giveUp() {
        close()
        isBusy = false
    }

    /// Connects as far as possible without waiting; nil when the connection is ready.
    private func goOnOpening() -> Progress? {
        if phase == .connecting {
            switch connectOnce() {
            case 0, EISCONN:
                phase = tls == nil ? .ready : .shakingHands
            case EINPROGRESS, EALREADY, EINTR: return .waiting
            case let reason:
                _ = fail("connect: \(Errno(rawValue: reason).name)")
                return .unopened
            }
        }
        if phase == .shakingHands, let tls {
            switch tls.shakeHands() {
            case .done: phase = .ready
            case .blocked: return .waiting
            case .failed:
                _ = fail("TLS: \(tls.failure ?? "")")
                return .unopened
            }
        }
        return nil
    }

    /// Connects, or asks for the result of an earlier attempt. Returns 0 or the errno.
    private func connectOnce() -> Int32 {
        let result = unsafe Self.withAddress(0x7F00_0001, port: port) { unsafe connect(descriptor, $0, $1) }
        return result == 0 ? 0 : errno
    }

    private static func withAddress(
        _ number: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = number.bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe body(generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: - Requests

    /// Takes a request, which ``advance()`` sends. The patch may change the bytes, but not their number.
    func begin(
        _ bytes: ArraySlice<UInt8>, dueTime: UInt64, deadline: UInt64, patch: ((inout [UInt8]) -> Void)? = nil
    ) {
        if let patch {
            // `request` may still share the memory of `patched`. Without this line the next one would copy it.
            request = []
            patched.removeAll(keepingCapacity: true)
            patched.append(contentsOf: bytes)
            patch(&patched)
            request = patched[...]
        } else {
            request = bytes
        }
        sentCount = 0
        receivedCount = 0
        reader = AnswerReader(isHead: bytes.starts(with: Self.headMethod))
        isBusy = true
        self.dueTime = dueTime
        self.deadline = deadline
    }

    private static let headMethod = Array("HEAD ".utf8)

    /// Opens, sends and receives as far as possible without waiting. Called after the poll has reported an event.
    func advance() -> Progress {
        if phase != .ready {
            if phase == .closed { return .waiting }
            if let progress = goOnOpening() { return progress }
        }
        guard isBusy else { return readWhileIdle() }
        send()
        return receive()
    }

    /// Sends as much of the request as the socket takes. This function reports no failure: the answer may be there although
    /// the server takes no more bytes. ``receive()`` reports the failure when there is no answer.
    func send() {
        while sentCount < request.count {
            let transfer = unsafe request.withUnsafeBytes { bytes in
                unsafe write(UnsafeRawBufferPointer(rebasing: bytes[sentCount...]))
            }
            guard case .moved(let count) = transfer else { return }
            sentCount += count
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        if let tls { return unsafe tls.write(bytes) }
        while true {
            let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count > 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked : .failed
        }
    }

    private func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        if let tls { return unsafe tls.read(into: room) }
        while true {
            let count = unsafe recv(descriptor, room.baseAddress, room.count, 0)
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked : .failed
        }
    }

    /// Reads the bytes that have arrived, at most until the answer is complete.
    private func receive() -> Progress {
        while receivedCount < answerByteLimit {
            let room = unsafe UnsafeMutableRawBufferPointer(
                start: received + receivedCount, count: answerByteLimit - receivedCount)
            switch unsafe read(into: room) {
            case .blocked: return .waiting
            case .failed: return .lost
            case .ended: return reader.endsWithConnection ? finish() : .lost
            case .moved(let count):
                receivedCount += count
                switch unsafe reader.parse(received, count: receivedCount) {
                case .incomplete: break
                case .complete: return finish()
                case .broken: return .broken
                }
            }
        }
        return .broken
    }

    private func finish() -> Progress {
        guard receivedCount == reader.end else { return .broken }
        isBusy = false
        if reader.closes || sentCount < request.count { close() }
        return .answered
    }

    /// Reads while no request is under way: usually the server has closed the connection. Over TLS the server may also have
    /// sent one of the protocol's own messages.
    private func readWhileIdle() -> Progress {
        // These bytes go to another place, so that the last answer stays readable.
        let transfer = unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) {
            unsafe read(into: $0)
        }
        switch transfer {
        case .blocked: return .waiting
        case .moved: return .broken
        case .ended, .failed: return .lost
        }
    }

    // MARK: - Answers

    /// The status of the last answer.
    var status: Int { reader.status }

    /// The last answer's head.
    var head: [UInt8] { bytes(0..<reader.bodyStart) }

    /// The last answer's body, without the frame of chunks.
    var body: [UInt8] { bytes(reader.bodyStart..<reader.bodyStart + reader.bodyCount) }

    private func bytes(_ range: Range<Int>) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: received + range.lowerBound, count: range.count))
    }

    /// Lends the last answer's body.
    func withBody<Result>(_ use: (RawSpan) -> Result) -> Result {
        let body = unsafe UnsafeRawBufferPointer(start: received + reader.bodyStart, count: reader.bodyCount)
        return unsafe use(body.bytes)
    }

    /// True when the last answer's body has these bytes.
    func hasBody(_ other: [UInt8]) -> Bool {
        guard other.count == reader.bodyCount else { return false }
        return unsafe other.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(received + reader.bodyStart, start, bytes.count) == 0
        }
    }
}
