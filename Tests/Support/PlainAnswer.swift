internal import Glibc
internal import System

/// One HTTP answer, read from its own connection without TLS.
public struct PlainAnswer: Sendable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The header lines, the status line first.
    public let head: [String]
    /// The body, without the framing of chunks.
    public let body: String

    /// Returns the value of a header field, or nil. `name` must be spelled as nginx spells it.
    public func header(_ name: String) -> String? {
        head.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The stable code of a problem document, or nil.
    public var code: String? {
        guard let start = body.firstRange(of: #""code":""#)?.upperBound,
            let end = body[start...].firstIndex(of: "\"")
        else { return nil }
        return String(body[start..<end])
    }

    /// Status and the beginning of the body.
    public var description: String { "\(status) \(body.prefix(200))" }

    /// Sends a whole request to 127.0.0.1 and waits for the answer, at most `timeoutSeconds`.
    ///
    /// - Returns: nil when the connection cannot be opened, ends before the answer or is silent for too long.
    public static func exchange(
        _ request: [UInt8],
        port: UInt16,
        isHead: Bool = false,
        timeoutSeconds: Double = 10
    ) -> PlainAnswer? {
        var connection = LoadConnection()
        guard connection.open(port: port) else { return nil }
        defer { connection.close() }
        connection.expectsHeadOnly = isHead
        let deadline = Clock.monotonicNanoseconds() + UInt64(timeoutSeconds * 1e9)
        connection.start(request, dueTime: 0, deadline: deadline) { _ in }
        while Clock.monotonicNanoseconds() < deadline {
            // The answer may come before the server has taken the whole request, for example when the body is too
            // large.
            _ = connection.send()
            switch connection.receive() {
            case .complete: return PlainAnswer(connection)
            case .ended: return nil
            case .waiting:
                let events = Int16(connection.wantsToSend ? POLLIN | POLLOUT : POLLIN)
                var list = [pollfd(fd: connection.descriptor, events: events, revents: 0)]
                _ = unsafe poll(&list, 1, 100)
            }
        }
        return nil
    }

    private init(_ connection: LoadConnection) {
        status = connection.frame?.status ?? 0
        head = String(decoding: connection.head, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let raw = connection.rawBody
        body = String(decoding: connection.frame?.body(of: raw) ?? raw, as: UTF8.self)
    }
}
