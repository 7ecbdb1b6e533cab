import Support
import Synchronization
import System
import Testing

@Suite("retentionctl notifications replay, over a socket")
struct ReplaySocketTests {
    /// What a FastCGI server got.
    struct Seen: Sendable {
        var parameters: [UInt8] = []
        var body: [UInt8] = []
        var beginning: [UInt8] = []
    }

    /// Reads one request as a FastCGI server does, record by record.
    private static func read(_ socket: borrowing StreamSocket) -> Seen? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var unread: [UInt8] = []
        var seen = Seen()
        while true {
            while unread.count >= 8 {
                let length = Int(unread[4]) << 8 | Int(unread[5])
                let total = 8 + length + Int(unread[6])
                guard unread.count >= total else { break }
                let content = unread[8..<8 + length]
                let type = unread[1]
                guard unread[0] == 1, unread[2] == 0, unread[3] == 1 else { return nil }
                switch type {
                case 1: seen.beginning += content
                case 4: seen.parameters += content
                case 5: seen.body += content
                default: return nil
                }
                unread.removeFirst(total)
                if type == 5, length == 0 { return seen }
            }
            switch socket.receive(into: &buffer) {
            case .bytes(let count): unread += buffer[..<count]
            case .end: return nil
            case .nothing: Clock.sleep(milliseconds: 1)
            }
        }
    }

    /// Runs a server that takes a connection for each of the answers, and sends that answer byte for byte.
    private static func server(_ path: String, _ answers: [[UInt8]]) throws -> JoinableThread<[Seen]> {
        let isReady = Mutex(false)
        let thread = try JoinableThread {
            defer { isReady.withLock { $0 = true } }
            var seen: [Seen] = []
            guard
                let listener = try? ListeningSocket(
                    unixPath: path,
                    access: .init(mode: 0o600),
                    backlog: 16
                )
            else { return seen }
            isReady.withLock { $0 = true }
            while seen.count < answers.count {
                switch listener.accept() {
                case .connection(let socket):
                    guard let request = read(socket) else { return seen }
                    let answer = answers[seen.count]
                    try? socket.descriptor.setNonBlocking(false)
                    try? socket.descriptor.write(answer.span)
                    seen.append(request)
                default: Clock.sleep(milliseconds: 1)
                }
            }
            return seen
        }
        while !isReady.withLock({ $0 }) { Clock.sleep(milliseconds: 1) }
        return thread
    }

    private static func answer(_ status: Int) -> [UInt8] {
        let text = "Status: \(status) Words\r\nContent-Type: text/plain\r\n\r\nbody"
        return FastCGIRecords.record(type: 6, content: Array(text.utf8), padding: 5)
            + FastCGIRecords.record(type: 6)
            + FastCGIRecords.record(type: 3, content: [0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("posts each body with the parameters of nginx, and reports each status")
    func posts() throws {
        let world = try StoreWorld()
        let file = try world.bodies(0..<3)
        var large = try world.lines(of: "bodies")
        // Longer than a record, and than the buffer of a socket.
        large.append([UInt8](repeating: UInt8(ascii: "a"), count: 300_000))
        try world.folder.write(Array(large.joined(separator: [UInt8(ascii: "\n")])), to: "bodies")
        let path = world.folder.path(of: "s")
        let server = try Self.server(path, [200, 200, 503, 401].map(Self.answer))
        let run = try Tool.run([
            "notifications", "replay", file, "--socket", path, "--rate", "1000", "--json",
        ])
        let seen = try #require(server.join())
        #expect(run.status == 1)
        #expect(run.output == "{\"statuses\":{\"200\":2,\"401\":1,\"503\":1}}\n", "\(run.errors)")
        let last = Array(#"{"signedPayload":""#.utf8) + large[3] + Array(#""}"#.utf8)
        #expect(seen.map(\.body) == Array(large[..<3]) + [last])
        for request in seen {
            #expect(request.beginning == [0, 1, 0, 0, 0, 0, 0, 0])
            let parameters = [
                ("REQUEST_METHOD", "POST"), ("CONTENT_TYPE", "application/json"),
                ("CONTENT_LENGTH", String(request.body.count)), ("RETENTION_ENDPOINT", "notifications"),
            ]
            #expect(request.parameters == FastCGIRecords.pairs(parameters))
        }
    }

    @Test("says that no answer came, or none that can be read")
    func failures() throws {
        let world = try StoreWorld()
        let file = try world.bodies(0..<1)
        let rows: [(answer: [UInt8], code: String)] = [
            ([], "replay.no-answer"), (Array(Self.answer(200).dropLast(4)), "replay.no-answer"),
            (
                FastCGIRecords.record(type: 6, content: Array("nothing".utf8))
                    + FastCGIRecords.record(type: 3), "replay.malformed-answer"
            ),
        ]
        for row in rows {
            let path = world.folder.path(of: row.code + String(row.answer.count))
            let server = try Self.server(path, [row.answer])
            let run = try Tool.run(["notifications", "replay", file, "--socket", path])
            #expect(server.join()?.count == 1)
            #expect(run.status == 69 && run.errors.contains("error: \(row.code): "), "\(run.errors)")
        }
    }
}
