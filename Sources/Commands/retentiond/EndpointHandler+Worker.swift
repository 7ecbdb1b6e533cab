internal import Configuration
public import Endpoints
internal import FastCGI
internal import Loader
internal import Logging
internal import System
internal import Telemetry
public import Worker

extension EndpointHandler: WorkerHandler {
    /// Creates the handler of a worker: it answers every request with the one generation that the worker started with.
    static func makeForWorker(
        _ generation: Generation, _ counters: SharedCounters, slot: Int?, _ logger: Logger
    ) throws -> EndpointHandler {
        let observer = RequestObserver(
            counters: counters,
            logger: logger,
            slot: slot,
            slowMilliseconds: generation.configuration.slowMilliseconds,
            errorLog: Output.errorLog,
            queue: { ListenQueue(ofDescriptor: 0) }
        )
        return try EndpointHandler(
            generation: generation, observer: observer,
            recorder: try DecisionRecorder(generation, counters, logger))
    }
}
