import HTTPLoad
import Support
import System

/// A client that sends one request piece by piece, as over a bad line.
final class SlowPost {
    private let socket: StreamSocket
    private let bytes: [UInt8]
    private var sentCount: Int

    /// Connects to nginx without TLS and sends the first `count` bytes of the request.
    init(_ tester: Tester, _ body: [UInt8], path: String = RecorderTester.path, sending count: Int) throws {
        bytes = RequestText.post(path, body, headers: ["Connection: close"])
        socket = try StreamSocket.connect(host: "127.0.0.1", port: tester.plainPort)
        try socket.descriptor.setNonBlocking(false)
        sentCount = 0
        try send(count)
    }

    /// The number of bytes before the body.
    static func headCount(_ body: [UInt8], path: String = RecorderTester.path) -> Int {
        RequestText.post(path, body, headers: ["Connection: close"]).count - body.count
    }

    /// Sends the next bytes, at most `count`.
    func send(_ count: Int = 1) throws {
        let end = min(bytes.count, sentCount + count)
        let piece = Array(bytes[sentCount..<end])
        try socket.descriptor.write(piece.span)
        sentCount = end
    }

    /// Sends the rest and returns the status of the answer; nil when there is none.
    func finish() throws -> Int? {
        try send(bytes.count)
        try socket.descriptor.setNonBlocking(true)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            switch socket.receive(into: &buffer) {
            case .bytes(let count): answer += buffer.prefix(count)
            case .nothing:
                let ready = try Readiness.wait(for: [socket.descriptor.number], timeoutMilliseconds: 60_000)
                guard !ready.isEmpty else { return nil }
            case .end:
                let words = String(decoding: answer, as: UTF8.self).split(separator: " ")
                return words.count > 1 ? Int(words[1]) : nil
            }
        }
    }
}
