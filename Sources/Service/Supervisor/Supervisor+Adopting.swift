internal import Configuration
internal import Control
internal import Loader
internal import System
internal import Telemetry
internal import Vocabulary

/// USR2, the side of the new binary: takes over the pool of the binary that ran in this process before, or gives it
/// back.
extension Supervisor {
    /// Checks that this binary understands what the binary before would hand over. `-t` asks this while the old binary
    /// still runs and nothing can be lost.
    ///
    /// - Throws: `supervisor.upgrade-unreadable`.
    public static func checkHandOver() throws(SupervisorError) {
        guard let text = ProcessEnvironment.value(of: HandOver.variable), HandOver(text) != nil else {
            throw .upgradeUnreadable
        }
    }

    static func adopt(_ setup: Setup, handOver text: String) throws(SupervisorError) -> Supervisor {
        let ticket = ProcessEnvironment.value(of: ReturnTicket.variable).flatMap { ReturnTicket($0) }
        let failed = ProcessEnvironment.value(of: FailedUpgrade.variable).flatMap { FailedUpgrade($0) }
        for name in [HandOver.variable, ReturnTicket.variable, FailedUpgrade.variable] {
            ProcessEnvironment.remove(name)
        }
        do throws(SupervisorError) {
            guard let handOver = HandOver(text) else { throw .upgradeUnreadable }
            let supervisor = try adopt(setup, handOver, after: failed)
            // The supervisor now holds a duplicate of every descriptor, so the originals are closed.
            let numbers = handOver.descriptors + (ticket.map { [$0.executable] } ?? [])
            _ = DescriptorList(takingOwnership: numbers)
            return supervisor
        } catch {
            guard let ticket else { throw error }
            let failure = ticket.use(setup.words, why: error)
            throw .unavailable(what: "the way back after \(error.code)", failure)
        }
    }

    /// Makes a supervisor from duplicates of the descriptors that were handed over, so that all of them can still be
    /// given back. It uses the configuration that serves. A configuration that was edited in the meantime takes effect
    /// with the reload that follows.
    private static func adopt(
        _ setup: Setup,
        _ handOver: HandOver,
        after failed: FailedUpgrade?
    ) throws(SupervisorError) -> Supervisor {
        let manifest = try readManifest(handOver)
        guard manifest.files.count == handOver.files.count else { throw .upgradeUnreadable }
        let configuration = manifest.configuration
        let signals = try receiveSignals()
        let counters = try adoptCounters(setup, handOver.counters)
        let path = if let failed { failed.path } else { try executablePath() }
        let supervisor = Supervisor(
            setup: setup,
            configuration: configuration,
            parts: Parts(
                executablePath: path,
                signals: signals,
                counters: counters.counters,
                socket: try PoolSocket(
                    adopting: duplicate(handOver.listen),
                    file: handOver.socketFile,
                    configuration
                ),
                pidFile: try adoptPidFile(handOver, configuration),
                stateLock: try adoptStateLock(handOver, configuration)
            ),
            state: PoolState(
                adopting: handOver.generation,
                settings: PoolSettings(
                    workerCount: handOver.workerCount,
                    drainMilliseconds: handOver.drainMilliseconds,
                    decisionLog: manifest.decisionLog
                ),
                workers: handOver.workers.map { ($0.id, $0.isReady) },
                sequence: handOver.sequence,
                hints: HintFile(stateDirectory: configuration.stateDirectory).read(),
                areCountersNew: !counters.areShared,
                failedUpgrade: failed.map {
                    PoolRefusal(
                        code: "upgrade-given-back",
                        message: "the new binary could not take over: \($0.code)"
                    )
                },
                reloadIntervalMilliseconds: configuration.reloadIntervalMilliseconds,
                at: now
            )
        )
        supervisor.formerCounters = counters.former
        try supervisor.adopt(handOver, manifest, areCountersShared: counters.areShared)
        return supervisor
    }

    private static func readManifest(_ handOver: HandOver) throws(SupervisorError) -> Manifest {
        let descriptor = try duplicate(handOver.manifest)
        return try LoadError.mapped(
            to: SupervisorError.configuration,
            giving: descriptor
        ) { descriptor throws(LoadError) in try Manifest.read(from: descriptor) }
    }

    /// Reads the lines about the experiments. Returns an empty array when they cannot be read: that is no reason to
    /// give the pool back.
    private static func readMarks(_ number: Int32) -> [UInt8] {
        guard number >= 0, let descriptor = try? duplicate(number),
            let memory = try? SealedMemory(verifying: descriptor),
            memory.byteCount <= LoaderLimits.markByteCount,
            let mapped = try? MappedMemory(of: memory.descriptor)
        else { return [] }
        return mapped.withBytes { $0.bytes(offset: 0, byteCount: $0.byteCount) ?? [] }
    }

    private static func adoptPidFile(
        _ handOver: HandOver,
        _ configuration: Configuration
    ) throws(SupervisorError) -> PidFile {
        let descriptor = try duplicate(handOver.pidFile)
        return try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: configuration.pidFile, $0) },
            giving: descriptor
        ) { descriptor throws(SystemCallError) in
            try PidFile(adopting: descriptor, path: configuration.pidFile)
        }
    }

    private static func adoptStateLock(
        _ handOver: HandOver,
        _ configuration: Configuration
    ) throws(SupervisorError) -> StateLock {
        guard handOver.state >= 0 else { return StateLock() }
        let descriptor = try duplicate(handOver.state)
        return try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: StateLock.path(configuration), $0) },
            giving: descriptor
        ) { descriptor throws(SystemCallError) in try StateLock(adopting: descriptor, configuration) }
    }

    private func adopt(
        _ handOver: HandOver,
        _ manifest: Manifest,
        areCountersShared: Bool
    ) throws(SupervisorError) {
        var files: [Int32] = []
        for number in handOver.files { files.append(try Self.duplicate(number).release()) }
        generations[handOver.generation] = HeldGeneration(
            manifest: DescriptorList(takingOwnership: [try Self.duplicate(handOver.manifest).release()]),
            keys: DescriptorList(takingOwnership: [try Self.duplicate(handOver.keys).release()]),
            fileDescriptors: DescriptorList(takingOwnership: files),
            files: manifest.files,
            logLevel: configuration.log.level,
            logFormat: configuration.log.format,
            errorLog: configuration.errorLog,
            marks: Self.readMarks(handOver.marks)
        )
        for worker in handOver.workers {
            // Without shared counters, the number does not name this worker's row.
            let slot = areCountersShared && worker.slot >= 0 ? worker.slot : nil
            children[worker.id] = Child(processID: worker.processID, slot: slot)
            if !areCountersShared { formerWorkers.insert(worker.id) }
            childIDs[worker.processID] = worker.id
            let control = try Self.duplicate(worker.control)
            let socket = try SystemCallError.mapped(
                to: { SupervisorError.unavailable(what: "control socket", $0) },
                giving: control
            ) { control throws(SystemCallError) in try MessageSocket(takingOwnership: control) }
            channels[worker.id] = Channel(ControlSocket(over: socket))
        }
        useErrorLog(configuration.errorLog)
        // The logs are opened now: after a log rotation another file has the name, and the `close` mark belongs into
        // the file before.
        decisionMarks.reopen(decisionLogPaths)
        // A child may have ended while one binary replaced the other. Its SIGCHLD is lost, so the supervisor sends
        // itself one.
        try? Processes.send(.child, to: Processes.current)
    }

    /// Returns the counters of the binary before. When that binary has another list of counters, returns new counters with
    /// the counts of the older ones.
    private static func adoptCounters(
        _ setup: Setup,
        _ number: Int32
    ) throws(SupervisorError) -> (counters: SharedCounters, areShared: Bool, former: FormerCounters?) {
        let inherited = try duplicate(number)
        if let counters = try? SharedCounters(inheriting: inherited, codes: setup.counterCodes) {
            return (counters, true, nil)
        }
        let former = try? FormerCounters(inheriting: duplicate(number))
        let started = former?.startedMilliseconds ?? Clock.wallMilliseconds()
        let counters = try makeCounters(setup, startedAt: started)
        former?.carry(to: counters)
        return (counters, false, former)
    }

    private static func duplicate(_ number: Int32) throws(SupervisorError) -> FileDescriptor {
        try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: "descriptor \(number) of the binary before", $0) },
            try FileDescriptor.duplicate(of: number)
        )
    }
}
