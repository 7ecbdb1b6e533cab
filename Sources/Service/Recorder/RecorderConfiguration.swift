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

    /// The keys outside `notifications` that the recorder uses and that only a restart of the recorder changes, each with its
    /// value. Of the keys of the socket, a socket of systemd needs none.
    static let restartKeys: [(name: String, value: @Sendable (Configuration) -> String)] = [
        ("listenMode", { "\($0.listenMode)" }), ("listenOwner", { $0.socketOwner ?? "" }),
        ("listenGroup", { $0.listenGroup }), ("backlog", { "\($0.backlog)" }), ("user", { $0.user ?? "" }),
        ("group", { $0.group ?? "" }), ("coreLimit", { "\($0.coreLimit)" }),
        ("log.level", { $0.log.level.rawValue }), ("log.format", { $0.log.format.rawValue }),
    ]
    private static let socketKeys: Set = ["listenMode", "listenOwner", "listenGroup", "backlog"]

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

    /// Returns the keys whose change only a restart applies.
    func restartKeys(changedFrom running: RecorderConfiguration) -> [String] {
        let (new, old) = (trust.configuration, running.trust.configuration)
        let outer = Self.restartKeys.filter { key in
            key.value(new) != key.value(old)
                && !(running.settings.listen == .systemd && Self.socketKeys.contains(key.name))
        }
        return outer.map(\.name) + settings.restartKeys(changedFrom: running.settings)
    }
}
