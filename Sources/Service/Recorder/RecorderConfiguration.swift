public import Configuration
public import Loader
internal import NotificationStore
internal import SignedPayloads
internal import Vocabulary

/// The configuration file, as the recorder reads it.
public struct RecorderConfiguration: Sendable {
    /// The file, and the certificates of its anchors.
    public let trust: LoadedTrust
    /// The object `notifications`.
    public let settings: NotificationSettings
    /// The place of the store.
    let store: StoreAddress

    /// The keys of `notifications` that only a restart changes.
    private static let restartKeys: [(name: String, value: @Sendable (NotificationSettings) -> String)] = [
        ("notifications.listen", { $0.listen.description }), ("notifications.store", { $0.store }),
        ("notifications.pidFile", { $0.pidFile }), ("notifications.batchCount", { "\($0.batchCount)" }),
        ("notifications.waitingCount", { "\($0.waitingCount)" }),
        ("notifications.waitingBytes", { "\($0.waitingBytes)" }),
    ]

    /// Reads and checks the configuration at `path` and its anchors.
    public init(path: String) throws(RecorderError) {
        trust = try LoadError.mapped(to: RecorderError.load, try LoadedTrust(path: path))
        guard let settings = trust.configuration.notifications else { throw .notConfigured }
        self.settings = settings
        store = try NotificationStoreError.mapped(
            to: RecorderError.store,
            try StoreAddress(settings.store)
        )
        // A policy that cannot be made is refused before anything changes.
        _ = try AnchorError.mapped(to: RecorderError.anchors, try trust.policy())
    }

    /// The configuration of the pool, with the recorder's socket and pid file in place of the pool's.
    var asPool: Configuration {
        var configuration = trust.configuration
        configuration.listen = settings.listen
        configuration.pidFile = settings.pidFile
        return configuration
    }

    /// The keys whose change only a restart applies.
    func restartKeys(changedFrom running: RecorderConfiguration) -> [String] {
        var keys = Self.restartKeys.filter { $0.value(settings) != $0.value(running.settings) }.map(\.name)
        let (new, old) = (trust.configuration, running.trust.configuration)
        if new.user != old.user { keys.append("user") }
        if new.group != old.group { keys.append("group") }
        if new.log.level != old.log.level { keys.append("log.level") }
        if new.log.format != old.log.format { keys.append("log.format") }
        return keys
    }
}
