public import Configuration
internal import FastCGI
internal import Loader
public import Logging
internal import NotificationStore
internal import SQL
public import Supervisor
internal import System
public import Telemetry
internal import Vocabulary

/// What the commands of the recorder do.
public enum RecorderStart {
    /// The name of the recorder's process. The kernel keeps 15 bytes.
    static let processName = "retentiond-reco"

    /// Starts the recorder and serves until it is told to leave.
    ///
    /// - Parameters:
    ///   - path: the configuration file.
    ///   - allowsRoot: true when the recorder may run as root.
    ///   - errorLog: the place to which the loggers write. The start changes it to the file of `errorLog`.
    ///   - makeLogger: makes the logger for a level and a form of lines.
    /// - Returns: the exit status.
    /// - Throws: the ``RecorderError`` for which the start is refused.
    public static func serve(
        path: String,
        allowsRoot: Bool,
        errorLog: ErrorLog,
        makeLogger: (LogLevel, LogFormat) -> Logger
    ) throws(RecorderError) -> Int32 {
        Processes.setName(processName)
        let configuration = try RecorderConfiguration(path: path)
        let log = configuration.trust.configuration.log
        let logger = makeLogger(log.level, log.format)
        let pool = configuration.asPool
        let accounts = try SupervisorError.mapped(
            to: RecorderError.start,
            try PoolAccounts(pool, allowsRoot: allowsRoot)
        )
        try SupervisorError.mapped(
            to: RecorderError.start,
            try accounts.useErrorLog(of: pool, in: errorLog)
        )
        for warning in configuration.trust.warnings {
            logger.warning("\(warning.message)", metadata: ["code": "\(warning.code)"])
        }
        do throws(SupervisorError) {
            let signals = try available("signals") { () throws(SystemCallError) in
                try SignalDescriptor(receiving: [.hangup, .user1, .quit, .terminate, .interrupt])
            }
            try available("limits") { () throws(SystemCallError) in
                try ResourceLimits.raiseOpenDescriptors(to: 65_536)
                try ResourceLimits.set(.core, to: UInt64(max(0, pool.coreLimit)))
            }
            try PoolSocket.makeDirectory(pool, accounts)
            let pidFile = try accounts.asPool { () throws(SupervisorError) in try makePidFile(pool) }
            let socket: PoolSocket
            do throws(SupervisorError) {
                socket = try makeSocket(pool, accounts)
            } catch {
                try? pidFile.remove()
                throw error
            }
            try dropPrivileges(accounts)
            let status = run(configuration, path, socket, signals, logger, errorLog)
            socket.removeName()
            try? pidFile.remove()
            return status
        } catch {
            throw .start(error)
        }
    }

    private static func run(
        _ configuration: RecorderConfiguration,
        _ path: String,
        _ socket: borrowing PoolSocket,
        _ signals: consuming SignalDescriptor,
        _ logger: Logger,
        _ errorLog: ErrorLog
    ) -> Int32 {
        do throws(RecorderError) {
            let listener: ListeningSocket
            do throws(SystemCallError) {
                let duplicate = try FileDescriptor.duplicate(of: socket.socket.descriptor.number)
                listener = try ListeningSocket(adopting: duplicate)
            } catch {
                throw .system(error)
            }
            RecorderProcess.giveWay()
            let process = try RecorderProcess(
                configuration,
                path: path,
                listener: listener,
                signals: signals,
                logger: logger,
                errorLog: errorLog
            )
            _ = try process.run()
            return 0
        } catch {
            logger.error("recorder failed", metadata: ["code": "\(error.code)", "reason": "\(error)"])
            return error.exitStatus
        }
    }

    /// A file that the pool makes has the rights of the pool, whoever starts it.
    private static func makeSocket(
        _ pool: Configuration,
        _ accounts: PoolAccounts
    ) throws(SupervisorError) -> PoolSocket {
        guard case .unix = pool.listen else { return try PoolSocket(pool, accounts) }
        let socket = try accounts.asPool { () throws(SupervisorError) in try PoolSocket(pool, accounts) }
        try socket.giveToOwner(accounts)
        return socket
    }

    private static func makePidFile(_ pool: Configuration) throws(SupervisorError) -> PidFile {
        let path = pool.pidFile
        return try SystemCallError.mapped(
            to: { error in
                error.fault == .lockHeld
                    ? SupervisorError.alreadyRunning(pidFile: path) : .unavailable(what: path, error)
            },
            try PidFile(creating: path)
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

    private static func available<Value: ~Copyable>(
        _ what: String,
        _ body: () throws(SystemCallError) -> Value
    ) throws(SupervisorError) -> Value {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .unavailable(what: what, error)
        }
    }

    // MARK: - Other commands

    /// Checks what a start opens: the configuration, the anchors, the accounts, the error log and the store. From then on
    /// this process runs as the recorder's user.
    ///
    /// - Returns: sentences about what a person should know although a start would succeed.
    public static func check(path: String, allowsRoot: Bool) throws(RecorderError) -> [String] {
        let configuration = try RecorderConfiguration(path: path)
        var warnings = configuration.trust.warnings.map(\.message)
        do throws(SupervisorError) {
            let accounts = try PoolAccounts(configuration.asPool, allowsRoot: allowsRoot)
            if Credentials.isPrivileged {
                try SystemCallError.mapped(to: SupervisorError.privileges, try accounts.pool?.apply())
            }
        } catch {
            throw .start(error)
        }
        try configuration.checkLog()
        let hasStore = try NotificationStoreError.mapped(
            to: RecorderError.store,
            try NotificationStore.checkAccess(configuration.store)
        )
        if !hasStore {
            warnings.append("there is no store at \(configuration.settings.store) yet; the start makes one")
        }
        return warnings
    }

    /// Sends HUP to the running recorder and waits for its verdict.
    public static func reload(path: String) throws(RecorderError) -> ReloadRequest.Outcome {
        let configuration = try RecorderConfiguration(path: path)
        do throws(SupervisorError) {
            return try ReloadRequest(configuration.asPool, processName: processName).send()
        } catch {
            throw .start(error)
        }
    }

    /// The versions of the libraries that only the recorder has, one on each line.
    public static var libraries: String {
        "sqlite: \(SQLLibraries.sqliteVersion)\nlibpq: \(SQLLibraries.postgreSQLVersion)\n"
    }
}
