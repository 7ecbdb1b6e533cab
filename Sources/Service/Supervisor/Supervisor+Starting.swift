internal import Configuration
internal import Control
internal import Loader
internal import Logging
internal import System
internal import Telemetry
internal import Vocabulary

/// Starts a supervisor: first the steps that need privileges, then it gives the privileges up.
extension Supervisor {
    static func make(_ setup: Setup) throws(SupervisorError) -> Supervisor {
        let configuration = try read(setup)
        let accounts = try PoolAccounts(configuration, allowsRoot: setup.allowsRoot)
        try accounts.useErrorLog(of: configuration, in: setup.errorLog)
        let signals = try receiveSignals()
        try setLimits(configuration)
        try PoolSocket.makeDirectory(configuration, accounts)
        let pidFile = try accounts.asPool { () throws(SupervisorError) in try makePidFile(configuration) }
        let socket: PoolSocket
        let stateLock: StateLock
        do throws(SupervisorError) {
            try makeStateDirectory(configuration, accounts)
            stateLock = try accounts.asPool { () throws(SupervisorError) in try StateLock(configuration) }
            socket = try makeSocket(configuration, accounts)
        } catch {
            try? pidFile.remove()
            throw error
        }
        try dropPrivileges(accounts)
        let counters = try makeCounters(setup)
        let verdict = VerdictFile(configuration).read() ?? VerdictFile(spareOf: configuration).read()
        let hints = HintFile(stateDirectory: configuration.stateDirectory).read()
        let supervisor = Supervisor(
            setup: setup,
            configuration: configuration,
            parts: Parts(
                signals: signals,
                counters: counters,
                socket: socket,
                pidFile: pidFile,
                stateLock: stateLock
            ),
            state: PoolState(
                sequence: verdict?.sequence ?? 0,
                hints: hints,
                reloadIntervalMilliseconds: configuration.reloadIntervalMilliseconds
            )
        )
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
                "the state directory is not locked; mend or remove what is there",
                metadata: metadata
            )
        }
        if verdictFile.isThere, verdictFile.read() == nil {
            let metadata: Logger.Metadata = [
                "code": "verdict-unreadable", "path": "\(verdictFile.path)",
            ]
            logger.warning("the last verdict cannot be read; loads are counted from 1", metadata: metadata)
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
            to: SupervisorError.configuration,
            try Loader.readConfiguration(path: setup.configurationPath)
        )
    }

    private static func receiveSignals() throws(SupervisorError) -> SignalDescriptor {
        try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: "signals", $0) },
            try SignalDescriptor(
                receiving: [.hangup, .user1, .quit, .terminate, .interrupt, .child]
            )
        )
    }

    private static func makeCounters(_ setup: Setup) throws(SupervisorError) -> SharedCounters {
        try SystemCallError.mapped(
            to: { SupervisorError.unavailable(what: "counters", $0) },
            try SharedCounters(codes: setup.counterCodes, startedAt: Clock.wallMilliseconds())
        )
    }

    private static func setLimits(_ configuration: Configuration) throws(SupervisorError) {
        // This is done while the process has privileges. When it fails, workers simply start with normal priority.
        _ = BackgroundWork.allowReturn()
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

    /// Makes the listening socket: a unix socket with the rights of the pool, an Internet address with the rights of
    /// whoever starts the supervisor.
    private static func makeSocket(
        _ configuration: Configuration,
        _ accounts: PoolAccounts
    ) throws(SupervisorError) -> PoolSocket {
        guard case .unix = configuration.listen else { return try PoolSocket(configuration, accounts) }
        let socket = try accounts.asPool { () throws(SupervisorError) in
            try PoolSocket(configuration, accounts)
        }
        try socket.giveToOwner(accounts)
        return socket
    }

    /// Makes `stateDirectory` when it does not exist, for the pool alone (mode 0750).
    private static func makeStateDirectory(
        _ configuration: Configuration,
        _ accounts: PoolAccounts
    ) throws(SupervisorError) {
        let path = configuration.stateDirectory
        if let status = try? FileStatus(path: path) {
            guard status.kind != .directory else { return }
            let what = "\(path) is where stateDirectory is to be; remove it"
            throw .unavailable(what: what, .found(.notDirectory(path: path)))
        }
        let failure = { (error: SystemCallError) in SupervisorError.unavailable(what: path, error) }
        try SystemCallError.mapped(to: failure, try Directory.make(path: path, permissions: 0o750))
        guard let pool = accounts.pool else { return }
        try SystemCallError.mapped(
            to: failure,
            try Directory.give(path: path, toUser: pool.userID, group: pool.groupID)
        )
    }

    private static func dropPrivileges(_ accounts: PoolAccounts) throws(SupervisorError) {
        if Credentials.isPrivileged {
            try SystemCallError.mapped(to: SupervisorError.privileges, try accounts.pool?.apply())
        }
        try SystemCallError.mapped(
            to: SupervisorError.privileges,
            try Credentials.renouncePrivilegesByExec()
        )
    }
}
