package import Configuration
internal import Logging
package import System

extension Supervisor {
    static func make(_ setup: Setup) throws(ServiceError) -> Supervisor {
        try ServiceError.refuseRoot(unless: setup.allowsRoot, command: "retentiond")
        let configuration = try Loader.readConfiguration(path: setup.configurationPath)
        if let path = configuration.log.errorLog {
            try SystemCallError.about(path, code: "error-log-unwritable", try setup.errorLog.use(path))
        }
        let signals = try SystemCallError.needed(
            for: "signals",
            try SignalDescriptor(receiving: [.hangup, .user1, .quit, .terminate, .interrupt, .child]))
        try setLimits()
        try PoolSocket.makeDirectory(configuration)
        let pidFile = try makePidFile(configuration)
        let socket: PoolSocket
        var stateLock: FileLock?
        do throws(ServiceError) {
            try makeStateDirectory(configuration)
            stateLock = try lockState(configuration, setup)
            socket = try PoolSocket(configuration)
        } catch {
            try? pidFile.remove()
            throw error
        }
        let counters = try SystemCallError.needed(
            for: "counters",
            try SharedCounters(codes: RequestObserver.codes, startedAt: Clock.wallMilliseconds()))
        let supervisor = Supervisor(
            setup, configuration, counters, signals: signals, socket: socket, pidFile: pidFile,
            stateLock: stateLock)
        supervisor.warnOfUnusedSocket()
        return supervisor
    }

    /// Returns nil when the lock could not be taken although no other supervisor holds it: a full or read-only disk, or something else
    /// under the lock's name. The pool then serves without the lock.
    private static func lockState(_ configuration: Configuration, _ setup: Setup) throws(ServiceError)
        -> FileLock?
    {
        let directory = configuration.stateDirectory
        let path = "\(directory)/supervisor.lock"
        do throws(SystemCallError) {
            return try FileLock(path: path)
        } catch {
            if error == .lockHeld {
                throw ServiceError(
                    code: "supervisor.state-in-use",
                    "another supervisor uses stateDirectory \(directory); each pool needs one of its own",
                    status: 1)
            }
            setup.makeLogger(configuration.log.level, configuration.log.format).error(
                "the state directory is not locked; mend or remove what is there",
                metadata: ["code": "state-unlocked", "path": "\(path)", "reason": "\(error)"])
            return nil
        }
    }

    /// Warns when systemd handed over a socket that `listen` does not use. nginx would connect to it and wait for
    /// nothing.
    private func warnOfUnusedSocket() {
        guard configuration.listen != .systemd, case .systemd(let count) = ListeningSocket.inheritance()
        else {
            return
        }
        let metadata: Logger.Metadata = [
            "code": "inherited-socket-unused", "listen": "\(configuration.listen)", "sockets": "\(count)",
        ]
        logger.warning("the socket of LISTEN_FDS is not used", metadata: metadata)
    }

    package static func setLimits() throws(ServiceError) {
        try SystemCallError.needed(for: "limits", try ResourceLimits.raiseOpenDescriptors(to: 65_536))
        // A core file holds payloads.
        try SystemCallError.needed(for: "limits", try ResourceLimits.set(.core, to: 0))
    }

    package static func makePidFile(_ configuration: Configuration) throws(ServiceError) -> PidFile {
        let path = configuration.pidFile
        return try SystemCallError.mapped(
            to: { error -> ServiceError in
                guard error == .lockHeld else { return .unavailable(path, error) }
                let message = "another supervisor runs, see \(path)"
                return ServiceError(code: "supervisor.already-running", message, status: 1)
            },
            try PidFile(creating: path)
        )
    }

    private static func makeStateDirectory(_ configuration: Configuration) throws(ServiceError) {
        let path = configuration.stateDirectory
        if let status = try? FileStatus(path: path) {
            guard status.kind != .directory else { return }
            let what = "\(path) is where stateDirectory is to be; remove it"
            throw .unavailable(what, .notDirectory(path: path))
        }
        try SystemCallError.needed(for: path, try Directory.make(path: path, permissions: 0o750))
    }
}

extension Supervisor {
    /// Prefixes of the environment variables that children do not inherit: those that the service manager set for this
    /// process.
    static let privateVariables = [
        "LISTEN_", "NOTIFY_SOCKET=", "WATCHDOG_", "MAINPID=", "FCGI_WEB_SERVER_ADDRS=",
    ]

    func child(_ arguments: [String]) -> ChildProcess {
        ChildProcess(
            executable: ChildProcess.ownExecutable, arguments: ["retentiond"] + arguments,
            environment: ProcessEnvironment.all(excludingPrefixes: Self.privateVariables))
    }

    /// Starts a child and records it. Passes ``PoolEvent/Kind/notStarted(_:_:)`` to the state and returns false when
    /// that fails.
    func start(_ id: ChildID, _ child: ChildProcess, slot: Int? = nil) -> Bool {
        do throws(SystemCallError) {
            let processID = try child.start()
            children[id] = Child(processID: processID, slot: slot)
            childIDs[processID] = id
            if let slot { counters.nameWorker(slot, processNumber: processID) }
            return true
        } catch {
            failToStart(id, why: "\(error)")
            return false
        }
    }

    func failToStart(_ id: ChildID, why: String) {
        take(.notStarted(id, ServiceError(code: "start-failed", why)))
    }

    func startWorker(_ id: ChildID, generation: GenerationID) {
        guard let listener = poolSocket?.socket.descriptor.number else {
            return failToStart(id, why: "the socket is gone")
        }
        let slot = counters.claimWorker(
            generation: UInt64(generation), atMilliseconds: Clock.wallMilliseconds())
        do throws(SystemCallError) {
            let channel = try MessageSocket.makePair().split { ours, theirs throws(SystemCallError) in
                let place =
                    generations[generation]?.isUnwritten == true
                    ? ["--config", setup.configurationPath] : ["--generation", store.path(of: generation)]
                var worker = child(
                    ["--worker"] + place
                        + (slot.map { ["--slot", String($0)] } ?? []))
                worker.descriptors = [
                    (listener, 0), (theirs.descriptor.number, LoaderLimits.controlDescriptor),
                    (counters.descriptorNumber, LoaderLimits.countersDescriptor),
                ]
                worker.blocksSignals = true
                return start(id, worker, slot: slot) ? Channel(ours) : nil
            }
            guard let channel else {
                if let slot { counters.releaseWorker(slot) }
                return
            }
            channels[id] = channel
            counters.add(.workersStarted)
        } catch {
            if children[id] == nil {
                if let slot { counters.releaseWorker(slot) }
                failToStart(id, why: "\(error)")
            }
        }
    }

    func startLoader(_ id: ChildID, sequence: GenerationID, source: LoadSource, serving: GenerationID?) {
        do throws(SystemCallError) {
            let pipe = try FileDescriptor.pipe()
            var loader = child(
                [
                    "--load", "--config", setup.configurationPath, "--sequence", String(sequence),
                    "--source", source.rawValue,
                ] + (serving.map { ["--serving", String($0)] } ?? []))
            loader.descriptors = [(from: pipe.writing.number, to: 1)]
            guard start(id, loader) else { return }
            loaderChannels[id] = try LoaderReplyReader(pipe.keepReading(), sequence: sequence)
        } catch {
            failToStart(id, why: "\(error)")
        }
    }
}

/// Finds workers whose loop does not turn. Each worker writes the time of its turns into the shared counters; the
/// supervisor looks at these times again and again.
///
/// The watch adds up only the time between looks, and of each pause at most the regular one. So nothing is held against
/// a worker when the supervisor itself, or the whole machine, was stopped for a while.
struct WorkerWatch: Sendable {
    private struct Worker {
        /// 0 until the worker has turned, which it does before it says ready. Until then the state ignores what the
        /// watch says of it, because the time to become ready is limited anyway.
        var lastTurn: UInt64
        /// How long that has not changed, in milliseconds.
        var silence: Int64 = 0
    }

    private let limit: Int64
    private let pause: Int64
    private var workers: [ChildID: Worker] = [:]
    private var lookedAt: Int64?

    init(limit: Int64, pause: Int64) {
        self.limit = limit
        self.pause = pause
    }

    var nextLook: Int64 { lookedAt.map { $0 + pause } ?? 0 }

    /// Returns the workers that count as stuck from now on, each once, in ascending order.
    mutating func look(at now: Int64, _ turns: [ChildID: UInt64]) -> [ChildID] {
        let passed = min(max(0, now - (lookedAt ?? now)), pause)
        lookedAt = now
        var stuck: [ChildID] = []
        var present: [ChildID: Worker] = [:]
        for (id, turned) in turns {
            guard var worker = workers[id], worker.lastTurn == turned else {
                present[id] = Worker(lastTurn: turned)
                continue
            }
            if worker.silence < limit, worker.silence + passed >= limit { stuck.append(id) }
            worker.silence += passed
            present[id] = worker
        }
        workers = present
        return stuck.sorted()
    }
}
