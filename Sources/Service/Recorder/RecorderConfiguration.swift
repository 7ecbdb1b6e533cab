public import Configuration
public import Loader
internal import NotificationStore
internal import SignedPayloads
internal import System
internal import Telemetry
internal import Vocabulary

/// The configuration file, as the recorder reads it.
public struct RecorderConfiguration: Sendable {
    /// The file, and the certificates of its anchors.
    public let trust: LoadedTrust
    /// The object `notifications`.
    public let settings: NotificationSettings
    /// The place of the store.
    let store: StoreAddress

    /// The keys outside `notifications` that the recorder uses and that only a restart of the recorder changes. A socket of
    /// systemd needs none of the keys of the socket.
    static let restartKeys = socketKeys + ["coreLimit", "log.level", "log.format"]
    private static let socketKeys = ["listenMode", "listenGroup", "backlog"]

    /// Reads and checks the configuration at `path` and its anchors.
    public init(path: String) throws(RecorderError) {
        trust = try LoadError.mapped(to: RecorderError.load, try LoadedTrust(path: path))
        guard let settings = trust.configuration.notifications else { throw .notConfigured }
        self.settings = settings
        store = try NotificationStoreError.mapped(to: RecorderError.store, try StoreAddress(settings.store))
        // A policy that cannot be made is refused before anything changes.
        _ = try AnchorError.mapped(to: RecorderError.anchors, try trust.policy())
    }

    /// The configuration of the pool, with the recorder's socket, pid file and error log in place of the pool's.
    var asPool: Configuration {
        var configuration = trust.configuration
        configuration.listen = settings.listen
        configuration.pidFile = settings.pidFile
        configuration.errorLog = settings.errorLog
        return configuration
    }

    /// Opens the file of `errorLog`, or standard error.
    ///
    /// - Parameters:
    ///   - log: the log that is to use the place.
    ///   - running: the configuration that the log has.
    /// - Returns: the opened place; nil when `running` names the same one.
    /// - Throws: `error-log-unwritable`.
    func openLog(_ log: ErrorLog, after running: RecorderConfiguration) throws(RecorderError) -> ErrorLog
        .Target?
    {
        let path = settings.errorLog
        guard running.settings.errorLog != path else { return nil }
        return try SystemCallError.mapped(
            to: { RecorderError.load(.errorLogUnwritable(path: path ?? "", $0)) },
            try log.open(path)
        )
    }

    /// Checks that the file of `errorLog` can be opened now. Makes nothing.
    func checkLog() throws(RecorderError) {
        guard let path = settings.errorLog else { return }
        try SystemCallError.mapped(
            to: { RecorderError.load(.errorLogUnwritable(path: path, $0)) },
            try LineOutput.check(appendingTo: path)
        )
    }

    /// Returns the keys whose change only a restart applies.
    func restartKeys(changedFrom running: RecorderConfiguration) -> [String] {
        let outer = trust.configuration.keys(Self.restartKeys, changedFrom: running.trust.configuration)
            .filter { running.settings.listen != .systemd || !Self.socketKeys.contains($0) }
        return outer + settings.restartKeys(changedFrom: running.settings)
    }
}
