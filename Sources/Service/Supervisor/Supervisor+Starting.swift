internal import Configuration
internal import Control
internal import Loader
internal import Logging
internal import System
internal import Telemetry
internal import Vocabulary

/// Starts a supervisor.
extension Supervisor {
    static func make(_ setup: Setup) throws(SupervisorError) -> Supervisor {
        try SupervisorError.refuseRoot(unless: setup.allowsRoot, command: "retentiond")
        let configuration = try read(setup)
        if let path = configuration.errorLog {
            try SystemCallError.mapped(
                to: { SupervisorError.configuration(.errorLogUnwritable(path: path, $0)) },
                try setup.errorLog.use(path)
            )
        }
        let signals = try receiveSignals()
        try setLimits(configuration)
        try PoolSocket.makeDirectory(configuration)
        let pidFile = try makePidFile(configuration)
        let socket: PoolSocket
        let stateLock: StateLock
        do throws(SupervisorError) {
            try makeStateDirectory(configuration)
            stateLock = try StateLock(configuration)
            socket = try PoolSocket(configuration)
        } catch {
            try? pidFile.remove()
            throw error
        }
        let counters = try makeCounters(setup)
        let verdict = VerdictFile(configuration).read() ?? VerdictFile(spareOf: configuration).read()
        let last = max(verdict?.sequence ?? 0, GenerationStore(configuration).lastNumber)
        let supervisor = Supervisor(
            setup: setup, configuration: configuration,
            parts: Parts(
                signals: signals, counters: counters, socket: socket, pidFile: pidFile, stateLock: stateLock),
            state: PoolState(
                sequence: last,
                reloadIntervalMilliseconds: configuration.reloadIntervalMilliseconds))
        supervisor.warnOfUnusedSocket()
        supervisor.warnOfState()
        supervisor.warnOfBacklog()
        return supervisor
    }

    /// Logs files in `stateDirectory` that cannot be used. The pool serves all the same, but somebody should remove
    /// them.
    private func warnOfState() {
        if let problem = stateLock.problem {
            let metadata: Logger.Metadata = [
                "code": "state-unlocked", "path": "\(StateLock.path(configuration))", "reason": "\(problem)",
            ]
            logger.error(
                "the state directory is not locked; mend or remove what is there", metadata: metadata)
        }
        if verdictFile.isThere, verdictFile.read() == nil {
            let metadata: Logger.Metadata = ["code": "verdict-unreadable", "path": "\(verdictFile.path)"]
            logger.warning("the last verdict cannot be read", metadata: metadata)
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

    /// Warns when the kernel queues fewer connections than `backlog` says. systemd's sockets have a length of their own
    /// (`Backlog=`).
    private func warnOfBacklog() {
        guard let number = poolSocket?.socket.descriptor.number,
            let queue = ListenQueue(ofDescriptor: number), queue.limitCount < configuration.backlog
        else { return }
        let metadata: Logger.Metadata = [
            "code": "backlog-capped", "backlog": "\(configuration.backlog)", "queue": "\(queue.limitCount)",
            "reason": "raise net.core.somaxconn (or Backlog= of the systemd socket), or lower backlog",
        ]
        logger.warning("the kernel queues fewer connections than backlog says", metadata: metadata)
    }

    static func read(_ setup: Setup) throws(SupervisorError) -> Configuration {
        try LoadError.mapped(
            to: SupervisorError.configuration, try Loader.readConfiguration(path: setup.configurationPath))
    }

    private static func receiveSignals() throws(SupervisorError) -> SignalDescriptor {
        try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: "signals", $0) },
            try SignalDescriptor(receiving: [.hangup, .user1, .quit, .terminate, .interrupt, .child])
        )
    }

    private static func makeCounters(_ setup: Setup) throws(SupervisorError) -> SharedCounters {
        try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: "counters", $0) },
            try SharedCounters(codes: setup.counterCodes, startedAt: Clock.wallMilliseconds())
        )
    }

    private static func setLimits(_ configuration: Configuration) throws(SupervisorError) {
        let failure = { (error: SystemCallError) in SupervisorError.unavailable(what: "limits", error) }
        try SystemCallError.mapped(to: failure, try ResourceLimits.raiseOpenDescriptors(to: 65_536))
        let coreLimit = UInt64(max(0, configuration.coreLimit))
        try SystemCallError.mapped(to: failure, try ResourceLimits.set(.core, to: coreLimit))
    }

    private static func makePidFile(_ configuration: Configuration) throws(SupervisorError) -> PidFile {
        let path = configuration.pidFile
        return try SystemCallError.mapped(
            to: { error in
                error.fault == .lockHeld
                    ? SupervisorError.alreadyRunning(pidFile: path) : .unavailable(what: path, error)
            },
            try PidFile(creating: path)
        )
    }

    /// Makes `stateDirectory` when it does not exist (mode 0750).
    private static func makeStateDirectory(_ configuration: Configuration) throws(SupervisorError) {
        let path = configuration.stateDirectory
        if let status = try? FileStatus(path: path) {
            guard status.kind != .directory else { return }
            let what = "\(path) is where stateDirectory is to be; remove it"
            throw .unavailable(what: what, .found(.notDirectory(path: path)))
        }
        try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: path, $0) },
            try Directory.make(path: path, permissions: 0o750)
        )
    }
}
