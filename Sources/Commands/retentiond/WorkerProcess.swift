internal import Configuration
internal import FastCGI
internal import Logging
package import Pool
internal import System

/// A worker process: one generation, one thread.
enum WorkerProcess {
    /// Runs `--worker`: the supervisor has placed everything that the worker needs. Returns the exit status.
    static func run(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.workerName)
        // The end of the control socket also says that the supervisor is gone, but only to a worker that reads the
        // socket.
        try? Processes.setParentDeathSignal(.terminate)
        let logger = program.logger("worker")
        let generation: Generation
        do {
            if let directory = arguments.values["--generation"] {
                generation = try Generation(directory: directory)
            } else {
                generation = try Generation(currentForConfigurationAt: arguments.configurationPath)
            }
        } catch {
            logger.error("generation not opened", error: error)
            return PoolLimits.generationGoneStatus
        }
        do {
            let settings = generation.configuration.log
            program.errorLog.use(settings.errorLog, elseLoggingTo: logger)
            let descriptor = FileDescriptor(takingOwnership: LoaderLimits.countersDescriptor)
            let counters = try SharedCounters(inheriting: descriptor, codes: RequestObserver.codes)
            let log = program.logger("worker", settings.level, settings.format, counters: counters)
            let handler = try EndpointHandler.makeForWorker(
                generation, counters, slot: arguments.number("--slot"), log)
            let control = try MessageSocket(
                takingOwnership: FileDescriptor(takingOwnership: LoaderLimits.controlDescriptor))
            // So that the first requests find a warm cache.
            let chains = ChainDirectory(stateDirectory: generation.configuration.stateDirectory)
            for chain in chains.chains() { handler.takeHint(chain) }
            return try serve(handler, generation, control: control, log)
        } catch {
            return fail(error, logger)
        }
    }

    /// Runs a worker that spawn-fcgi or a similar program started. The worker loads its generation itself. On HUP it
    /// finishes, and the spawner starts the next one.
    static func runStandalone(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.workerName)
        let logger = program.logger("worker")
        do {
            try ServiceError.refuseRoot(unless: arguments.allowsRoot, command: "retentiond")
            let generation = try Generation(loadingConfigurationAt: arguments.configurationPath)
            let settings = generation.configuration.log
            program.errorLog.use(settings.errorLog, elseLoggingTo: logger)
            let log = program.logger("worker", settings.level, settings.format)
            let counters = try SharedCounters(
                codes: RequestObserver.codes, startedAt: Clock.wallMilliseconds())
            // This process is the whole pool: the status page shows it like a worker of a pool.
            let now = Clock.wallMilliseconds()
            let slot = counters.claimWorker(
                generation: UInt64(max(0, generation.sequence)), atMilliseconds: now)
            if let slot { counters.nameWorker(slot, processNumber: Processes.current) }
            counters.add(.workersStarted)
            let handler = try EndpointHandler.makeForWorker(generation, counters, slot: slot, log)
            return try serve(handler, generation, control: nil, log)
        } catch {
            return fail(error, logger)
        }
    }

    /// How long a worker that has left waits for the disk that takes its decision records, in milliseconds. A healthy disk takes a
    /// few.
    private static let recordsMilliseconds: Int32 = 800

    private static func serve(
        _ handler: EndpointHandler, _ generation: Generation, control: consuming MessageSocket?,
        _ logger: Logger
    ) throws -> Int32 {
        let configuration = generation.configuration
        var settings = WorkerSettings()
        settings.drainMilliseconds = UInt64(max(0, configuration.drainMilliseconds))
        settings.turnMilliseconds = Int32(PoolLimits.lookMilliseconds)
        settings.fastCGI.connectionCountLimit = WorkerSettings.connectionCountLimit(
            openDescriptors: try ResourceLimits.openDescriptors()
        )
        settings.requestCountLimit = WorkerSettings.requestCountLimit(maxRequests: configuration.maxRequests)
        let signals = try SignalDescriptor(receiving: [.quit, .terminate, .interrupt, .hangup, .user1])
        let listener = try ListeningSocket(adopting: FileDescriptor(takingOwnership: 0))
        for warning in generation.warnings {
            logger.warning("serving without a key", metadata: warning.metadata)
        }
        // Beside the requests, which touch the pages they need before that is done.
        try? ServiceThread.start { generation.readFactsAhead() }
        let outcome = try run(
            WorkerLoop(
                listener: listener, control: control, signals: signals, settings: settings, logger: logger),
            handler)
        handler.finishRecords(within: recordsMilliseconds)
        switch outcome {
        case .drained: return 0
        case .cutOff(let count):
            logger.warning("left with open connections", metadata: ["connections": "\(count)"])
            return 0
        case .failed(let error): throw error
        }
    }

    /// Runs the loop. Afterwards connections, listening socket and control socket are closed: a disk may hold up the end of this
    /// process, and until then clients would wait for it.
    private static func run(_ loop: consuming WorkerLoop, _ handler: EndpointHandler) -> WorkerOutcome {
        var loop = loop
        return loop.run(handler)
    }

    private static func fail(_ error: any Error, _ logger: Logger) -> Int32 {
        logger.error("worker failed", error: error)
        // Of the errors of a start, the refusal of root alone is not a fault of ours to whoever starts single workers.
        return (error as? ServiceError)?.code == "runs-as-root" ? 78 : 70
    }
}

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
            errorLog: program.errorLog,
            queue: { ListenQueue(ofDescriptor: 0) }
        )
        return try EndpointHandler(
            generation: generation, observer: observer,
            recorder: try DecisionRecorder(generation, counters, logger))
    }
}

/// `--cgi`: reads one request from the environment and standard input (RFC 3875), and answers it on standard output.
enum CGIProcess {
    static func run(_ arguments: Arguments) -> Int32 {
        let logger = program.logger("cgi")
        let output = FileDescriptor(takingOwnership: 1)
        var handler: EndpointHandler?
        // Last, so that no disk delays the answer.
        defer { handler?.finishRecords(within: 1000) }
        let response: GatewayResponse
        var status: Int32 = 0
        do {
            try ServiceError.refuseRoot(unless: arguments.allowsRoot, command: "retentiond --cgi")
            var request = CGIRequest(input: FileDescriptor(takingOwnership: 0))
            let generation = try Generation(loadingConfigurationAt: arguments.configurationPath)
            request.bodyMilliseconds = generation.configuration.deadlineMilliseconds
            let settings = generation.configuration.log
            program.errorLog.use(settings.errorLog, elseLoggingTo: logger)
            let counters = try SharedCounters(
                codes: RequestObserver.codes, startedAt: Clock.wallMilliseconds())
            let observer = RequestObserver(
                counters: counters,
                logger: program.logger("cgi", settings.level, settings.format),
                slot: nil, slowMilliseconds: generation.configuration.slowMilliseconds)
            let made = try EndpointHandler(
                generation: generation, observer: observer,
                recorder: try DecisionRecorder(generation, counters, logger, forOneRequest: true))
            handler = made
            response = made.answer(&request)
        } catch {
            // The client gets an answer, whatever is wrong here.
            logger.error("request failed", error: error)
            response = .internalFault
            status = 70
        }
        do {
            try CGIRequest.write(response, to: output)
            return status
        } catch {
            logger.error("answer not written", error: error)
            return 74
        }
    }
}
