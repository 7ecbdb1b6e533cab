internal import FastCGI
internal import Loader
internal import Logging
internal import Telemetry
internal import Worker

/// What a worker does with a request.
final class EndpointWorker: WorkerHandler {
    private let generation: Generation
    private let counters: SharedCounters

    init(_ generation: Generation, _ counters: SharedCounters, slot: Int?, _ logger: Logger) throws {
        self.generation = generation
        self.counters = counters
    }

    func answer(_ request: inout FastCGIRequest) -> GatewayResponse {
        GatewayResponse(
            status: generation.hasRules ? 200 : 503,
            contentType: "text/plain",
            allow: nil,
            body: Array((generation.hasRules ? "pong" : "no rules").utf8)
        )
    }
}
