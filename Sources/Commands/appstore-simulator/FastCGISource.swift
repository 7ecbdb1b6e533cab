internal import AppStoreSimulator
internal import FastCGI
internal import System

/// Requests from nginx, which says the environment in a parameter (nginx/appstore-simulator.conf).
final class FastCGISource: RequestSource {
    private let server: FastCGIServer
    private var isWatchingSignals = false
    private var isDraining = false
    private var late: [(dueAt: UInt64, request: ParkedRequest, response: GatewayResponse)] = []

    /// The status with which nginx is told to close the connection.
    private static let lostStatus = 599

    init(_ listener: consuming ListeningSocket) throws {
        var settings = FastCGISettings()
        settings.parkedCountLimit = settings.connectionCountLimit
        settings.bodyByteCount = SimulatorLimits.imageByteCount + (1 << 20)
        server = try FastCGIServer(listener: listener, settings: settings)
    }

    var hasConnections: Bool { server.connectionCount > 0 }

    func turn(
        timeoutMilliseconds: Int32?, signals: Int32, answer: (SimulatorRequest) -> SimulatorAnswer
    ) throws -> Bool {
        if !isWatchingSignals { try server.watch(signals, as: .signals) }
        isWatchingSignals = true
        let timeout = late.isEmpty ? timeoutMilliseconds : min(timeoutMilliseconds ?? 10, 10)
        let sources = try server.turn(timeoutMilliseconds: timeout) { self.response(&$0, answer) }
        let now = isDraining ? .max : Clock.monotonicNanoseconds()
        for answer in late where answer.dueAt <= now { server.answer(answer.request, with: answer.response) }
        late.removeAll { $0.dueAt <= now }
        return sources.contains(.signals)
    }

    func drain(answer: (SimulatorRequest) -> SimulatorAnswer) {
        isDraining = true
        server.drain { self.response(&$0, answer) }
    }

    private func response(
        _ request: inout FastCGIRequest, _ answer: (SimulatorRequest) -> SimulatorAnswer
    ) -> GatewayResponse? {
        guard let read = Self.read(&request) else {
            return GatewayResponse(status: 400, contentType: "application/json", body: [])
        }
        let answer = answer(read)
        let response = GatewayResponse(
            status: answer.isLost ? Self.lostStatus : answer.status, contentType: "application/json",
            fields: answer.retryAfterMilliseconds.map { [HeaderField("Retry-After", "\($0)")] } ?? [],
            body: answer.isLost ? [] : answer.body)
        guard answer.delayMilliseconds > 0, !isDraining, let ticket = request.park() else { return response }
        let dueAt = Clock.monotonicNanoseconds() + UInt64(answer.delayMilliseconds) * 1_000_000
        late.append((dueAt, ticket, response))
        return nil
    }

    /// Reads a request. Returns nil when nginx does not say the environment, or the body has not arrived whole.
    private static func read(_ request: inout FastCGIRequest) -> SimulatorRequest? {
        guard let environment = text(request, "APPSTORE_ENVIRONMENT").flatMap(Environment.init),
            environment == .production || environment == .sandbox,
            let method = text(request, "REQUEST_METHOD"), let target = text(request, "REQUEST_URI")
        else { return nil }
        var body: [UInt8]?
        switch request.readBody(limitBytes: SimulatorLimits.imageByteCount) {
        case .complete: body = request.withBody { $0.copied() }
        case .tooLarge: body = nil
        case .incomplete, .aborted, .late: return nil
        }
        return SimulatorRequest(
            environment: environment, method: method, target: target,
            contentType: text(request, "CONTENT_TYPE"), authorization: text(request, "HTTP_AUTHORIZATION"),
            body: body)
    }

    /// Returns a parameter; nil when it is absent, empty or no UTF-8.
    private static func text(_ request: borrowing FastCGIRequest, _ name: StaticString) -> String? {
        let bytes = request.withParameter(name) { $0?.copied() }
        return bytes.flatMap { $0.isEmpty ? nil : String(validating: $0, as: UTF8.self) }
    }
}
