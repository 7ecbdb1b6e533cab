public import System

/// A FastCGI client for tests: sends any bytes, reads one answer at a time.
public final class FastCGIClient {
    /// One answer.
    public struct Reply: Sendable, Hashable {
        /// The number in the Status field; 200 when there is no such field.
        public var status: Int
        /// The header lines.
        public var header: [String]
        public var body: [UInt8]
    }

    /// Why no answer could be read.
    public enum Failure: Error, Hashable {
        /// The other side closed the connection.
        case closed
        /// Nothing came before the timeout.
        case silent
        /// The other side sent bytes that are not an answer.
        case malformed
    }

    private let socket: StreamSocket
    private var poll: EventPoll
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var unread: [UInt8] = []

    /// Uses a connected socket.
    public init(_ socket: consuming StreamSocket) throws {
        let poll = try EventPoll(eventCountLimit: 1)
        try poll.add(socket.descriptor.number, token: 0, interest: .readable)
        self.poll = poll
        self.socket = socket
    }

    /// Connects to a unix socket.
    public convenience init(unixPath: String) throws {
        try self.init(try StreamSocket.connect(unixPath: unixPath))
    }

    /// The descriptor's number.
    public var number: Int32 { socket.descriptor.number }

    /// Sends as many bytes as the socket takes without waiting.
    ///
    /// - Returns: the number of bytes that were sent.
    public func sendSome(_ bytes: [UInt8]) throws -> Int {
        do {
            return try socket.descriptor.writeSome(bytes.span)
        } catch  where error.reason == .eagain {
            return 0
        }
    }

    /// Sends all bytes and waits until the socket has taken them. Use this for bytes that fit into the socket's buffer,
    /// or while another thread reads on the other side.
    public func send(_ bytes: [UInt8]) throws {
        try socket.descriptor.setNonBlocking(false)
        try socket.descriptor.write(bytes.span)
        try socket.descriptor.setNonBlocking(true)
    }

    /// Shuts the socket down for writing, so that the other side knows that nothing more will come.
    public func finishSending() {
        socket.shutDownWriting()
    }

    /// Shuts the socket down in both directions.
    public func hangUp() {
        socket.shutDownReading()
        socket.shutDownWriting()
    }

    /// Returns true when the other side has closed the connection and nothing is left to read.
    public func isClosed() -> Bool {
        unread.isEmpty && socket.peek(into: &buffer) == .end
    }

    /// Returns true when nothing has arrived and the connection is open.
    public func isSilent() -> Bool {
        unread.isEmpty && socket.peek(into: &buffer) == .nothing
    }

    /// Reads the bytes of an answer as they come, at least one.
    public func readBytes(timeoutMilliseconds: Int32 = 10_000) throws(Failure) -> [UInt8] {
        if unread.isEmpty { try fill(timeoutMilliseconds: timeoutMilliseconds) }
        defer { unread = [] }
        return unread
    }

    /// Reads one answer.
    public func readReply(timeoutMilliseconds: Int32 = 10_000) throws(Failure) -> Reply {
        var output: [UInt8] = []
        while true {
            while unread.count >= 8 {
                let length = Int(unread[4]) << 8 | Int(unread[5])
                let total = 8 + length + Int(unread[6])
                guard unread.count >= total else { break }
                let type = unread[1]
                if type == 6 { output += unread[8..<8 + length] }
                unread.removeFirst(total)
                guard type == 6 || type == 3 else { throw .malformed }
                if type == 3 { return try Self.parse(output) }
            }
            try fill(timeoutMilliseconds: timeoutMilliseconds)
        }
    }

    private func fill(timeoutMilliseconds: Int32) throws(Failure) {
        while true {
            switch socket.receive(into: &buffer) {
            case .bytes(let count):
                unread += buffer[..<count]
                return
            case .end: throw .closed
            case .nothing:
                let count = (try? poll.wait(timeoutMilliseconds: timeoutMilliseconds)) ?? 0
                guard count > 0 else { throw .silent }
            }
        }
    }

    private static func parse(_ output: [UInt8]) throws(Failure) -> Reply {
        let text = String(decoding: output, as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let end = text.firstIndex(of: "") else { throw .malformed }
        let header = text[..<end].map(String.init)
        let headByteCount = header.reduce(2) { $0 + $1.utf8.count + 2 }
        var status = 200
        for line in header where line.hasPrefix("Status: ") {
            guard let number = Int(line.dropFirst(8).prefix(3)) else { throw .malformed }
            status = number
        }
        return Reply(status: status, header: header, body: Array(output[headByteCount...]))
    }
}
