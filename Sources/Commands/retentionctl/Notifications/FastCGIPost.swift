internal import System
internal import Vocabulary

/// Posts a body to a FastCGI server over a unix socket, as nginx does.
struct FastCGIPost {
    let socketPath: String
    /// The time in milliseconds after which no answer comes any more.
    var timeoutMilliseconds: Int32 = 30_000

    /// The reason why a server gave no answer.
    enum Failure: CodedError, CustomStringConvertible {
        /// The socket cannot be reached.
        case unreachable(SystemCallError)
        /// The connection ended, or no answer came in time.
        case noAnswer
        /// What came back is no answer of a FastCGI server.
        case malformed

        var code: String {
            switch self {
            case .unreachable: "replay.unreachable"
            case .noAnswer: "replay.no-answer"
            case .malformed: "replay.malformed-answer"
            }
        }

        var description: String {
            switch self {
            case .unreachable(let error): "\(error)"
            case .noAnswer: "no answer came"
            case .malformed: "what came back is no answer of a FastCGI server"
            }
        }
    }

    /// Posts a body and returns the status of the answer.
    func status(posting body: [UInt8]) throws(Failure) -> Int {
        let request = Self.request(body)
        let output: [UInt8]?
        do throws(SystemCallError) {
            let socket = try StreamSocket.connect(unixPath: socketPath)
            try socket.descriptor.setNonBlocking(false)
            try socket.setSendTimeout(milliseconds: Int(timeoutMilliseconds))
            try socket.descriptor.write(request.span)
            try socket.descriptor.setNonBlocking(true)
            output = try receive(socket)
        } catch {
            // The server closed the connection, or does not read.
            guard error.reason != .epipe, error.reason != .econnreset, error.call != "write" else {
                throw .noAnswer
            }
            throw .unreachable(error)
        }
        guard let output else { throw .noAnswer }
        guard let status = Self.status(of: output) else { throw .malformed }
        return status
    }

    /// Returns what the server wrote to its standard output; nil when the connection ended before
    /// that was complete, or nothing came in time.
    private func receive(_ socket: borrowing StreamSocket) throws(SystemCallError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var unread: [UInt8] = []
        var output: [UInt8] = []
        var poll = try EventPoll(eventCountLimit: 1)
        try poll.add(socket.descriptor.number, token: 0, interest: .readable)
        while true {
            while unread.count >= 8 {
                let length = Int(unread[4]) << 8 | Int(unread[5])
                let total = 8 + length + Int(unread[6])
                guard unread.count >= total else { break }
                let type = unread[1]
                if type == 6 { output += unread[8..<8 + length] }
                unread.removeFirst(total)
                if type == 3 { return output }
                guard output.count < 1 << 20 else { return nil }
            }
            switch socket.receive(into: &buffer) {
            case .bytes(let count): unread += buffer[..<count]
            case .end: return nil
            case .nothing:
                guard try poll.wait(timeoutMilliseconds: timeoutMilliseconds) > 0 else { return nil }
            }
        }
    }

    /// Returns the number in the Status field, 200 without one; nil when the output has no header.
    private static func status(of output: [UInt8]) -> Int? {
        let lines = String(decoding: output, as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: "") else { return nil }
        guard let line = lines[..<end].first(where: { $0.hasPrefix("Status: ") }) else { return 200 }
        return Int(line.dropFirst("Status: ".count).prefix(3))
    }

    /// Builds a request with the parameters that nginx's location for notifications passes.
    private static func request(_ body: [UInt8]) -> [UInt8] {
        let parameters = [
            ("REQUEST_METHOD", "POST"), ("CONTENT_TYPE", "application/json"),
            ("CONTENT_LENGTH", String(body.count)), ("RETENTION_ENDPOINT", "notifications"),
        ]
        var pairs: [UInt8] = []
        for (name, value) in parameters {
            // Every name and value here is shorter than 128 bytes, so one byte has its length.
            pairs += [UInt8(name.utf8.count), UInt8(value.utf8.count)] + Array(name.utf8) + Array(value.utf8)
        }
        // The role of a responder; the server closes the connection after the answer.
        let begin = record(type: 1, [0, 1, 0, 0, 0, 0, 0, 0])
        var bytes = begin + record(type: 4, pairs) + record(type: 4, [])
        var start = 0
        while start < body.count {
            let end = min(start + 32_768, body.count)
            bytes += record(type: 5, Array(body[start..<end]))
            start = end
        }
        return bytes + record(type: 5, [])
    }

    private static func record(type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [1, type, 0, 1, UInt8(content.count >> 8), UInt8(content.count & 255), 0, 0] + content
    }
}
