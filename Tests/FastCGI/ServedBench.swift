import FastCGI
import Support
import System
import Testing

/// A server on its own unix socket. The test runs the turns of the server in the test's thread, so the test decides the
/// order of all events and never has to wait.
final class ServedBench {
    let server: FastCGIServer
    let path: String
    private let directory: TemporaryDirectory
    var seen: [String] = []
    var endpoints: [String] = []
    var bodies: [[UInt8]] = []
    var overloads: [Bool] = []
    var limitBytes = 1 << 20
    /// The body of each answer; nil echoes the request's.
    var answer: [UInt8]?
    var readsBody = true
    var parksRequests = false
    var parked: [ParkedRequest] = []
    var duringRequest: () -> Void = {}

    init(_ settings: FastCGISettings = FastCGISettings()) throws {
        directory = try TemporaryDirectory()
        path = directory.path(of: "s")
        let listener = try ListeningSocket(unixPath: path, access: .init(mode: 0o600), backlog: 511)
        server = try FastCGIServer(listener: listener, settings: settings)
    }

    static func parking(_ change: (inout FastCGISettings) -> Void = { _ in }) throws -> ServedBench {
        var settings = FastCGISettings()
        settings.parkedCountLimit = 512
        change(&settings)
        let bench = try ServedBench(settings)
        bench.parksRequests = true
        return bench
    }

    func connect() throws -> FastCGIClient {
        try FastCGIClient(unixPath: path)
    }

    func settle() throws {
        for _ in 0..<1_000 {
            let before = server.counts
            let count = server.connectionCount
            try turn()
            if server.counts == before, server.connectionCount == count { return }
        }
        Issue.record("the server does not settle")
    }

    func turn() throws {
        _ = try server.turn(timeoutMilliseconds: 0) { request in self.handle(&request) }
    }

    func drain() {
        server.drain { request in self.handle(&request) }
    }

    @discardableResult
    func answerParked(_ index: Int, _ body: [UInt8]) -> Bool {
        let answer = GatewayResponse(status: 200, contentType: "text/plain", body: body)
        return server.answer(parked.remove(at: index), with: answer)
    }

    @discardableResult
    func answerParked(_ body: [UInt8]) -> Bool { answerParked(0, body) }

    func handle(_ request: inout FastCGIRequest) -> GatewayResponse? {
        duringRequest()
        endpoints.append(
            request.withParameter("RETENTION_ENDPOINT") { value in
                guard let value else { return "" }
                return String(decoding: value.indices.map { value[$0] }, as: UTF8.self)
            }
        )
        guard readsBody else {
            if parksRequests, let ticket = request.park() {
                parked.append(ticket)
                return nil
            }
            return GatewayResponse(status: 200, contentType: "text/plain", body: answer ?? [])
        }
        let reading = request.readBody(limitBytes: limitBytes)
        seen.append("\(reading)")
        let again = request.readBody(limitBytes: 0)
        #expect(again == reading)
        let body = request.withBody { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
        bodies.append(body)
        overloads.append(request.isOverloaded)
        if request.isOverloaded {
            return GatewayResponse(status: 503, contentType: "text/plain", body: [])
        }
        if parksRequests {
            guard let ticket = request.park() else {
                return GatewayResponse(status: 503, contentType: "text/plain", body: [])
            }
            parked.append(ticket)
            return nil
        }
        switch reading {
        case .complete:
            return GatewayResponse(status: 200, contentType: "text/plain", body: answer ?? body)
        case .tooLarge: return GatewayResponse(status: 413, contentType: "text/plain", body: [])
        default: return GatewayResponse(status: 400, contentType: "text/plain", body: [])
        }
    }
}

/// Returns bytes that change along the way, so that a test notices a lost or repeated piece.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
