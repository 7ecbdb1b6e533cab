package import Configuration
internal import FastCGI
package import Logging
internal import NotificationStore
package import Pool
internal import SQL
internal import System

package enum RecorderStart {
    /// The name of the recorder's process. The kernel keeps 15 bytes.
    static let processName = "retentiond-reco"

    /// Starts the recorder and serves until it is told to leave.
    package static func serve(
        path: String, allowsRoot: Bool, errorLog: ErrorLog, makeLogger: (LogLevel, LogFormat) -> Logger
    ) throws(RecorderError) -> Int32 {
        Processes.setName(processName)
        try refuseRoot(unless: allowsRoot, command: "retentiond-recorder")
        let configuration = try RecorderConfiguration(path: path)
        let log = configuration.trust.configuration.log
        let logger = makeLogger(log.level, log.format)
        let pool = configuration.asPool
        if let path = pool.errorLog {
            try SystemCallError.mapped(
                to: { RecorderError.load(.errorLogUnwritable(path: path, $0)) },
                try errorLog.use(path)
            )
        }
        for warning in configuration.trust.warnings {
            logger.warning("\(warning.message)", metadata: ["code": "\(warning.code)"])
        }
        do throws(SupervisorError) {
            let signals = try available("signals") { () throws(SystemCallError) in
                try SignalDescriptor(receiving: [.hangup, .user1, .quit, .terminate, .interrupt])
            }
            try available("limits") { () throws(SystemCallError) in
                try ResourceLimits.raiseOpenDescriptors(to: 65_536)
                try ResourceLimits.set(.core, to: 0)
            }
            try PoolSocket.makeDirectory(pool)
            let pidFile = try makePidFile(pool)
            let socket: PoolSocket
            do throws(SupervisorError) {
                socket = try PoolSocket(pool)
            } catch {
                try? pidFile.remove()
                throw error
            }
            let status = run(configuration, path, socket, signals, logger, errorLog)
            socket.removeName()
            try? pidFile.remove()
            return status
        } catch {
            throw .start(error)
        }
    }

    private static func run(
        _ configuration: RecorderConfiguration, _ path: String, _ socket: borrowing PoolSocket,
        _ signals: consuming SignalDescriptor, _ logger: Logger, _ errorLog: ErrorLog
    ) -> Int32 {
        do throws(RecorderError) {
            let listener: ListeningSocket
            do throws(SystemCallError) {
                let duplicate = try FileDescriptor.duplicate(of: socket.socket.descriptor.number)
                listener = try ListeningSocket(adopting: duplicate)
            } catch {
                throw .system(error)
            }
            let process = try RecorderProcess(
                configuration, path: path, listener: listener, signals: signals, logger: logger,
                errorLog: errorLog)
            _ = try process.run()
            return 0
        } catch {
            logger.error("recorder failed", metadata: ["code": "\(error.code)", "reason": "\(error)"])
            return error.exitStatus
        }
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

    private static func refuseRoot(unless isAllowed: Bool, command: String) throws(RecorderError) {
        try SupervisorError.mapped(
            to: RecorderError.start, try SupervisorError.refuseRoot(unless: isAllowed, command: command))
    }

    private static func available<Value: ~Copyable>(
        _ what: String, _ body: () throws(SystemCallError) -> Value
    ) throws(SupervisorError) -> Value {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .unavailable(what: what, error)
        }
    }

    // MARK: - Other commands

    /// Checks what a start opens: the configuration, the anchors, the error log and the store.
    ///
    /// - Returns: sentences about what a person should know although a start would succeed.
    package static func check(path: String, allowsRoot: Bool) throws(RecorderError) -> [String] {
        try refuseRoot(unless: allowsRoot, command: "retentiond-recorder -t")
        let configuration = try RecorderConfiguration(path: path)
        var warnings = configuration.trust.warnings.map(\.message)
        try configuration.checkLog()
        let hasStore = try NotificationStoreError.mapped(
            to: RecorderError.store, try NotificationStore.checkAccess(configuration.store))
        if !hasStore {
            warnings.append("there is no store at \(configuration.settings.store) yet; the start makes one")
        }
        return warnings
    }

    package static func reload(path: String) throws(RecorderError) -> ReloadRequest.Outcome {
        let configuration = try RecorderConfiguration(path: path)
        do throws(SupervisorError) {
            return try ReloadRequest(configuration.asPool, processName: processName).send()
        } catch {
            throw .start(error)
        }
    }

    package static var libraries: String {
        "sqlite: \(SQLLibraries.sqliteVersion)\nlibpq: \(SQLLibraries.postgreSQLVersion)\n"
    }
}
