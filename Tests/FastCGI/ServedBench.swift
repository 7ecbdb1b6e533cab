import FastCGI
import Support
import System
import Testing

/// A server on a unix socket of its own whose turns the test takes itself, in one thread: what happens when is up to the
/// test, and nothing needs to be waited for.
final class ServedBench {
    let server: FastCGIServer
    let path: String
    private let directory: TemporaryDirectory
    /// What the handler found, one line for each request: body's state and length.
    var seen: [String] = []
    /// The endpoint each request asked for.
    var endpoints: [String] = []
    /// The body of each request, where the handler reads bodies.
    var bodies: [[UInt8]] = []
    /// The body limit of the handler.
    var limitBytes = 1 << 20
    /// The body of each answer; nil echoes the request's.
    var answer: [UInt8]?
    /// Whether the handler reads bodies at all.
    var readsBody = true
    /// Runs inside the handler.
    var duringRequest: () -> Void = {}

    init(_ settings: FastCGISettings = FastCGISettings()) throws {
        directory = try TemporaryDirectory()
        path = directory.path(of: "s")
        let listener = try ListeningSocket(unixPath: path, access: .init(mode: 0o600), backlog: 511)
        server = try FastCGIServer(listener: listener, settings: settings)
    }

    func connect() throws -> FastCGIClient {
        try FastCGIClient(unixPath: path)
    }

    /// Takes turns until nothing happens any more.
    func settle() throws {
        for _ in 0..<1_000 {
            let before = server.counts
            let count = server.connectionCount
            _ = try server.turn(timeoutMilliseconds: 0) { request in self.handle(&request) }
            if server.counts == before, server.connectionCount == count { return }
        }
        Issue.record("the server does not settle")
    }

    func drain() {
        server.drain { request in self.handle(&request) }
    }

    func handle(_ request: inout FastCGIRequest) -> GatewayResponse {
        duringRequest()
        endpoints.append(
            request.withParameter("RETENTION_ENDPOINT") { value in
                guard let value else { return "" }
                return String(decoding: value.indices.map { value[$0] }, as: UTF8.self)
            }
        )
        guard readsBody else {
            return GatewayResponse(status: 200, contentType: "text/plain", body: answer ?? [])
        }
        let reading = request.readBody(limitBytes: limitBytes)
        seen.append("\(reading)")
        let again = request.readBody(limitBytes: 0)
        #expect(again == reading)
        let body = request.withBody { bytes in bytes.indices.map { bytes[$0] } }
        bodies.append(body)
        switch reading {
        case .complete: return GatewayResponse(status: 200, contentType: "text/plain", body: answer ?? body)
        case .tooLarge: return GatewayResponse(status: 413, contentType: "text/plain", body: [])
        default: return GatewayResponse(status: 400, contentType: "text/plain", body: [])
        }
    }
}

/// Bytes that differ along the way, so that a piece lost or twice is seen.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
