internal import JSON

/// The `notifications` object: where `retentiond-recorder` takes App Store Server Notifications, and what it does with
/// them. `retentiond` itself does not read it.
public struct NotificationSettings: Sendable, Hashable {
    /// `listen`: the address at which the recorder accepts FastCGI requests. The mode and the group of a unix socket are
    /// those of the pool's own socket.
    public var listen = ListenAddress.unix(path: "/run/retentiond-recorder/notifications.sock")
    /// `store`: where notifications are kept, `sqlite:/path` or `postgresql://…` without a password.
    public var store = "sqlite:/var/lib/retentiond/store/notifications.db"
    /// `pidFile`: the file that names the running recorder. The verdicts of its reloads are beside it.
    public var pidFile = "/run/retentiond-recorder/recorder.pid"
    /// `errorLog`: path of the file that takes the recorder's log lines; nil means standard error.
    public var errorLog: String?
    /// `deadlineMilliseconds`: the time for an answer. After it the recorder answers 503, and Apple sends again.
    public var deadlineMilliseconds: Int64 = 5000
    /// `retentionDays`: how long notifications are kept that facts do not need; 0 means for ever.
    public var retentionDays: Int64 = 0
    /// `batchCount`: the most notifications that are committed together.
    public var batchCount = 256
    /// `waitingCount`: the most notifications that wait for their commit.
    public var waitingCount = 1024
    /// `waitingBytes`: the most bytes of bodies that wait for their commit.
    public var waitingBytes = 64 << 20
    /// `forward`: the other receivers, which get every stored notification. No URL appears twice.
    public var forward: [ForwardDestination] = []

    /// Creates the default settings.
    public init() {}

    /// Returns the paths, such as `notifications.store`, of the settings whose values differ from the running ones and that
    /// only a restart of the recorder applies, in the order of the manual.
    public func restartKeys(changedFrom running: NotificationSettings) -> [String] {
        Self.settings.filter { $0.onHangup == .restart && $0.differs(self, from: running) }
            .map { "notifications.\($0.key)" }
    }
}

/// One entry of `notifications.forward`: a receiver that gets the stored notifications that match.
public struct ForwardDestination: Sendable, Hashable {
    /// `url`: the https URL to which the bodies are posted.
    public var url: String
    /// `environments`: those whose notifications it gets; empty for all.
    public var environments: [String] = []
    /// `apps`: the bundle identifiers of the apps whose notifications it gets; empty for all.
    public var apps: [String] = []
    /// `types`: the values of notificationType that it gets; empty for all.
    public var types: [String] = []

    public init(url: String) {
        self.url = url
    }
}
