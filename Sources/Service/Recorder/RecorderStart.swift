package import Configuration
internal import FastCGI
package import Logging
internal import NotificationStore
package import Pool
internal import SignedPayloads
internal import SQL
internal import System

package enum RecorderStart {
    /// The name of the recorder's process. The kernel keeps 15 bytes.
    static let processName = "retentiond-reco"

    package static func serve(
        path: String, allowsRoot: Bool, errorLog: ErrorLog, makeLogger: (LogLevel, LogFormat) -> Logger
    ) throws -> Int32 {
        Processes.setName(processName)
        try ServiceError.refuseRoot(unless: allowsRoot, command: "retentiond-recorder")
        let configuration = try RecorderConfiguration(path: path)
        let log = configuration.trust.configuration.log
        let logger = makeLogger(log.level, log.format)
        let pool = configuration.asPool
        if let path = pool.log.errorLog {
            try SystemCallError.about(path, code: "error-log-unwritable", try errorLog.use(path))
        }
        for warning in configuration.trust.warnings {
            logger.warning("\(warning)", metadata: ["code": "\(warning.code)"])
        }
        let signals = try SystemCallError.needed(
            for: "signals",
            try SignalDescriptor(receiving: [.hangup, .user1, .quit, .terminate, .interrupt]))
        try Supervisor.setLimits()
        try PoolSocket.makeDirectory(pool)
        let pidFile = try Supervisor.makePidFile(pool)
        defer { try? pidFile.remove() }
        let socket = try PoolSocket(pool)
        defer { socket.removeName() }
        return run(configuration, path, socket, signals, logger, errorLog)
    }

    private static func run(
        _ configuration: RecorderConfiguration, _ path: String, _ socket: borrowing PoolSocket,
        _ signals: consuming SignalDescriptor, _ logger: Logger, _ errorLog: ErrorLog
    ) -> Int32 {
        do {
            let duplicate = try FileDescriptor.duplicate(of: socket.socket.descriptor.number)
            let process = try RecorderProcess(
                configuration, path: path, listener: ListeningSocket(adopting: duplicate), signals: signals,
                logger: logger, errorLog: errorLog)
            _ = try process.run()
            return 0
        } catch {
            let error = ServiceError(error)
            logger.error("recorder failed", metadata: error.metadata)
            return error.status
        }
    }

    // MARK: - Other commands

    /// Checks what a start opens: the configuration, the anchors, the error log and the store. Returns what a person should know although
    /// a start would succeed.
    package static func check(path: String, allowsRoot: Bool) throws -> [String] {
        try ServiceError.refuseRoot(unless: allowsRoot, command: "retentiond-recorder -t")
        let configuration = try RecorderConfiguration(path: path)
        var warnings = configuration.trust.warnings.map(\.description)
        if let path = configuration.trust.configuration.log.errorLog {
            try SystemCallError.about(
                path, code: "error-log-unwritable", try LineOutput.check(appendingTo: path))
        }
        if try !NotificationStore.checkAccess(configuration.store) {
            warnings.append("there is no store at \(configuration.settings.store) yet; the start makes one")
        }
        return warnings
    }

    package static func reload(path: String) throws -> ReloadRequest.Outcome {
        try ReloadRequest(RecorderConfiguration(path: path).asPool, processName: processName).send()
    }

    package static var libraries: String {
        "sqlite: \(SQLLibraries.sqliteVersion)\nlibpq: \(SQLLibraries.postgreSQLVersion)\n"
    }
}

package struct RecorderConfiguration: Sendable {
    package let trust: LoadedTrust
    package let settings: NotificationSettings
    let store: StoreAddress

    /// The keys outside `notifications` that the recorder uses and that only a restart of the recorder changes. A socket of
    /// systemd needs none of the keys of the socket.
    static let restartKeys =
        socketKeys + LogSettings.keys.filter { !["errorLog", "decisions"].contains($0) }.map { "log.\($0)" }
    private static let socketKeys = ["listenMode", "listenGroup"]

    package init(path: String) throws {
        trust = try LoadedTrust(path: path)
        guard let settings = trust.configuration.notifications else {
            throw ServiceError(
                code: "recorder.not-configured",
                "the configuration has no \"notifications\", so there is nothing to do")
        }
        self.settings = settings
        store = try StoreAddress(settings.store)
        // A policy that cannot be made is refused before anything changes.
        _ = try trust.policy()
    }

    /// The configuration of the pool, with the recorder's socket and pid file in place of the pool's.
    var asPool: Configuration {
        var configuration = trust.configuration
        configuration.listen = settings.listen
        configuration.pidFile = settings.pidFile
        return configuration
    }

    func openLog(_ log: ErrorLog, after running: RecorderConfiguration) throws -> ErrorLog.Target? {
        let path = trust.configuration.log.errorLog
        guard running.trust.configuration.log.errorLog != path else { return nil }
        return try SystemCallError.about(path ?? "", code: "error-log-unwritable", try log.open(path))
    }

    func restartKeys(changedFrom running: RecorderConfiguration) -> [String] {
        let outer = trust.configuration.keys(Self.restartKeys, changedFrom: running.trust.configuration)
            .filter { running.settings.listen != .systemd || !Self.socketKeys.contains($0) }
        return outer + settings.restartKeys(changedFrom: running.settings)
    }
}

extension ServiceError {
    /// Makes the error with which a command of the recorder ends.
    package init(_ error: any Error) {
        let code = (error as? any CodedError)?.code ?? ""
        switch error {
        case let error as ServiceError: self = error
        case is AnchorError: self.init(code: code, "the anchors: \(error)")
        case is NotificationStoreError: self.init(code: code, "the store: \(error)", status: 1)
        case is FastCGIError: self.init(code: code, "\(error)", status: 70)
        default: self.init(code: code, "\(error)", status: 74)
        }
    }
}
