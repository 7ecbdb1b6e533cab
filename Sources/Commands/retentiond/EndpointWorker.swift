internal import Configuration
internal import Endpoints
internal import FastCGI
internal import Loader
internal import Logging
internal import System
internal import Telemetry
internal import Worker

/// What a worker does with a request: hands it to the endpoints, with the one generation it was born with.
final class EndpointWorker: WorkerHandler {
    private let handler: EndpointHandler

    init(_ generation: Generation, _ counters: SharedCounters, slot: Int?, _ logger: Logger) throws {
        let observer = RequestObserver(
            counters: counters,
            logger: logger,
            slot: slot,
            slowMilliseconds: generation.configuration.slowMilliseconds,
            queue: { ListenQueue(ofDescriptor: 0) }
        )
        let recorder = try DecisionRecorder(generation, counters)
        if let recorder, !recorder.isOpen {
            logger.error("decision records cannot be written", metadata: ["code": "decisions-unwritable"])
        }
        handler = try EndpointHandler(generation: generation, observer: observer, recorder: recorder)
    }

    func reopenLogs() { handler.reopenLogs() }

    func answer(_ request: inout FastCGIRequest) -> GatewayResponse { handler.handle(&request) }

    func takeHint(_ hint: [UInt8]) { handler.takeHint(hint) }

    func turned(_ counts: FastCGICounts) { handler.turned(counts) }

    func leaves() { handler.leaves() }

    func nextHint() -> [UInt8]? { handler.nextHint() }
}
