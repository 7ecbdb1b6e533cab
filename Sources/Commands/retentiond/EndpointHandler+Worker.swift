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
        _ generation: Generation,
        _ counters: SharedCounters,
        slot: Int?,
        _ logger: Logger
    ) throws -> EndpointHandler {
        let observer = RequestObserver(
            counters: counters,
            logger: logger,
            slot: slot,
            slowMilliseconds: generation.configuration.slowMilliseconds,
            errorLog: Output.errorLog,
            queue: { ListenQueue(ofDescriptor: 0) }
        )
        let placement = generation.placementForRecords
        let start: RecordCompanionStart = { ring throws(SystemCallError) in
            try RecordsChild.start(ring, placement, counters)
        }
        let recorder = try DecisionRecorder(
            generation,
            counters,
            startCompanion: placement.isEmpty ? nil : start
        )
        if let recorder, recorder.writesItself, !placement.isEmpty {
            logger.warning(
                "the worker writes its decision records itself",
                metadata: ["code": "records-unattended"]
            )
        }
        if let recorder, !recorder.isOpen {
            logger.error("decision records cannot be written", metadata: ["code": "decisions-unwritable"])
        }
        return try EndpointHandler(generation: generation, observer: observer, recorder: recorder)
    }
}
