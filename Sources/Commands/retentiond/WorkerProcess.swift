internal import Configuration
internal import Control
internal import Endpoints
internal import FastCGI
internal import Loader
internal import Logging
internal import Supervisor
internal import System
internal import Telemetry
internal import Worker

/// A worker: one generation, one thread.
enum WorkerProcess {
    /// `--worker`: everything it needs was placed by the supervisor.
    static func run(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.workerName)
        // The end of the control socket says the same, but only to a worker that is listening.
        try? Processes.setParentDeathSignal(.terminate)
        let logger = Output.logger(component: "worker", level: .info, format: .logfmt)
        do {
            let generation = try Generation()
            let settings = generation.configuration.log
            let number = LoaderLimits.firstFileDescriptor + Int32(generation.manifest.files.count)
            let counters = try SharedCounters(
                inheriting: FileDescriptor(takingOwnership: number),
                codes: CounterCodes.all
            )
            let log = Output.logger(
                component: "worker",
                level: settings.level,
                format: settings.format,
                counters: counters
            )
            let handler = try EndpointHandler.ofWorker(generation, counters, slot: arguments.slot, log)
            let descriptor = FileDescriptor(takingOwnership: LoaderLimits.controlDescriptor)
            let control = ControlSocket(over: try MessageSocket(takingOwnership: descriptor))
            warm(handler, control)
            if BackgroundWork.isSet() { BackgroundWork.set(false) }
            return try serve(handler, generation, control: control, log)
        } catch {
            return fail(error, logger)
        }
    }

    /// Started by spawn-fcgi and the like: loads for itself; HUP means finish, and the spawner starts the next one.
    static func runStandalone(_ arguments: Arguments) -> Int32 {
        Processes.setName(Supervisor.workerName)
        let logger = Output.logger(component: "worker", level: .info, format: .logfmt)
        do {
            try PoolAccounts.refuseRoot(allowsRoot: arguments.allowsRoot)
            let generation = try Generation(loadingConfigurationAt: arguments.configurationPath)
            let settings = generation.configuration.log
            let log = Output.logger(component: "worker", level: settings.level, format: settings.format)
            let counters = try SharedCounters(codes: CounterCodes.all, startedAt: Clock.wallMilliseconds())
            // The whole pool is this process: the status page shows it as it shows a pool's workers.
            let now = Clock.wallMilliseconds()
            let slot = counters.claimWorker(
                generation: UInt64(max(0, generation.sequence)),
                atMilliseconds: now
            )
            if let slot { counters.nameWorker(slot, processNumber: Processes.current) }
            counters.add(.workersStarted)
            let handler = try EndpointHandler.ofWorker(generation, counters, slot: slot, log)
            return try serve(handler, generation, control: nil, log)
        } catch {
            return fail(error, logger)
        }
    }

    private static func serve(
        _ handler: EndpointHandler,
        _ generation: Generation,
        control: consuming ControlSocket?,
        _ logger: Logger
    ) throws -> Int32 {
        let configuration = generation.configuration
        var settings = WorkerSettings()
        settings.drainMilliseconds = UInt64(max(0, configuration.drainMilliseconds))
        var generator = SystemRandomNumberGenerator()
        settings.requestCountLimit = WorkerSettings.requestCountLimit(
            around: UInt64(max(0, configuration.maxRequests)),
            using: &generator
        )
        let signals = try SignalDescriptor(receiving: [.quit, .terminate, .interrupt, .hangup, .user1])
        let listener = try ListeningSocket(adopting: FileDescriptor(takingOwnership: 0))
        var loop = try WorkerLoop(
            listener: listener,
            control: control,
            signals: signals,
            settings: settings,
            logger: logger
        )
        switch loop.run(handler) {
        case .drained: return 0
        case .cutOff(let count):
            logger.warning("left with open connections", metadata: ["connections": "\(count)"])
            return 0
        case .failed(let error): throw error
        }
    }

    /// Verifies the hints before anything is accepted, so that the first requests find a warm cache.
    private static func warm(_ handler: EndpointHandler, _ control: borrowing ControlSocket) {
        let patience = Clock.monotonicNanoseconds() + 1_000_000_000
        while Clock.monotonicNanoseconds() < patience {
            switch try? control.receive() {
            case .message(.chainHint(let hint)): handler.takeHint(hint)
            case .nothing:
                _ = try? Readiness.wait(for: [control.descriptorNumber], timeoutMilliseconds: 1000)
            case .unknown: continue
            case .message, .closed, nil: return
            }
        }
    }

    private static func fail(_ error: any Error, _ logger: Logger) -> Int32 {
        logger.error("worker failed", error: error)
        return (error as? SupervisorError)?.exitStatus ?? 70
    }
}
