internal import System

/// One HTTP answer, with its head and body as text.
package struct PlainAnswer: Sendable, CustomStringConvertible {
    /// The HTTP status.
    package let status: Int
    /// The header lines, the status line first.
    package let head: [String]
    /// The body, without the framing of chunks.
    package let body: String

    /// Returns the value of a header field, or nil. `name` must be spelled as nginx spells it.
    package func header(_ name: String) -> String? {
        head.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The stable code of a problem document, or nil.
    package var code: String? {
        guard let start = body.firstRange(of: #""code":""#)?.upperBound,
            let end = body[start...].firstIndex(of: "\"")
        else { return nil }
        return String(body[start..<end])
    }

    /// The status and the beginning of the body.
    package var description: String { "\(status) \(body.prefix(200))" }

    /// The largest answer: a scrape of a pool with thousands of rules has hundreds of kilobytes.
    private static let answerByteLimit = 4 << 20

    /// Sends a whole request to 127.0.0.1 on a new connection and waits for the answer, at most `timeoutSeconds`.
    ///
    /// - Returns: nil when the connection cannot be opened or ends before the answer, when the server takes longer, and when
    ///   the server sends something else than one answer.
    package static func exchange(
        _ request: [UInt8], port: UInt16, tls: TLSTrust? = nil, timeoutSeconds: Double = 10
    ) -> PlainAnswer? {
        let connection = Connection(answerByteLimit: answerByteLimit)
        let poll = ConnectionPoll()
        let deadline = Clock.monotonicNanoseconds() + UInt64(timeoutSeconds * 1e9)
        connection.begin(request[...], dueTime: 0, deadline: deadline)
        guard connection.open(port: port, trust: tls), poll.add(connection.descriptor, number: 0) else {
            return nil
        }
        while true {
            switch connection.advance() {
            case .answered: return PlainAnswer(connection)
            case .unopened, .lost, .broken: return nil
            case .waiting: break
            }
            let now = Clock.monotonicNanoseconds()
            guard now < deadline else { return nil }
            _ = poll.wait(nanoseconds: deadline - now)
        }
    }

    private init(_ connection: Connection) {
        status = connection.status
        head = String(decoding: connection.head, as: UTF8.self).split(separator: "\r\n").map(String.init)
        body = String(decoding: connection.body, as: UTF8.self)
    }
}

/// Whole HTTP/1.1 requests as bytes.
package enum RequestText {
    /// Returns a POST of JSON to a path. `headers` are further header lines.
    package static func post(_ path: String, _ body: [UInt8], headers: [String] = []) -> [UInt8] {
        var lines = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
        lines += ["Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    package static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }
}
