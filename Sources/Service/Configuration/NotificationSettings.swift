internal import JSON
internal import System

/// The `notifications` object: where `retentiond-recorder` takes App Store Server Notifications, and what it does with
/// them. `retentiond` itself does not read it.
package struct NotificationSettings: Sendable, Hashable {
    /// `listen`: the address at which the recorder accepts FastCGI requests. The mode and the group of a unix socket are
    /// those of the pool's own socket.
    package var listen = ListenAddress.unix(path: "/run/retentiond-recorder/notifications.sock")
    package var store = "sqlite:/var/lib/retentiond/store/notifications.db"
    /// `pidFile`: the file that names the running recorder. The verdicts of its reloads are beside it.
    package var pidFile = "/run/retentiond-recorder/recorder.pid"
    package var errorLog: String?
    package var deadlineMilliseconds: Int64 = 5000
    package var retentionDays: Int64 = 0
    package var batchCount = 256
    package var forward: [ForwardDestination] = []

    package init() {}

    /// Returns the paths, such as `notifications.store`, of the settings whose values differ from the running ones and that
    /// only a restart of the recorder applies, in the order of the manual.
    package func restartKeys(changedFrom running: NotificationSettings) -> [String] {
        Self.settings.filter { $0.needsRestart && $0.differs(self, from: running) }
            .map { "notifications.\($0.key)" }
    }
}

/// One entry of `notifications.forward`: a receiver that gets the stored notifications that match.
package struct ForwardDestination: Sendable, Hashable {
    package var url: String
    package var environments: [String] = []
    package var apps: [String] = []
    package var types: [String] = []

    package init(url: String) {
        self.url = url
    }
}

extension NotificationSettings {
    static let settings: [Setting<NotificationSettings>] = [
        .address("listen", \.listen).needingRestart(),
        .text("store", \.store, .storeAddress).needingRestart(),
        .text("pidFile", \.pidFile, .absolutePath).needingRestart(),
        .optionalText("errorLog", \.errorLog, .absolutePath),
        // Apple's servers wait longer, but say that an answer should take a few seconds at most.
        .integer("deadlineMilliseconds", \.deadlineMilliseconds, 100...60_000),
        .integer("retentionDays", \.retentionDays, 0...36_500),
        .integer("batchCount", \.batchCount, 1...4096).needingRestart(),
        .objects(
            "forward", \.forward, ForwardDestination.settings, empty: ForwardDestination(url: ""),
            limit: ConfigurationLimits.listCount,
            check: { value, destination, before in
                guard !before.contains(where: { $0.url == destination.url }) else {
                    value.member("url")?.report(.duplicateValue, "this URL is listed above already")
                    return
                }
            }
        ),
    ]

    /// Reports an address that is unsafe or belongs to the pool. `entry` is the object's place in the text.
    func check(_ entry: SourceValue, pool: Configuration) {
        if !listen.isLocal, !pool.allowRemoteFastCGI {
            entry.member("listen")?.report(.remoteListen, Configuration.remoteListenReason)
        }
        if listen == pool.listen, listen != .systemd {
            (entry.member("listen") ?? entry).report(
                .duplicateValue, "the pool has the same address in \"listen\"")
        }
    }
}

extension ForwardDestination {
    static let settings: [Setting<ForwardDestination>] = [
        .text("url", \.url, .secureURL, isSecret: true).required(),
        .texts("environments", \.environments, .storeEnvironment),
        .texts("apps", \.apps, .bundleIdentifier),
        .texts("types", \.types, .notificationType),
    ]
}

extension ConfigurationText {
    /// The address of a store. Nobody may write a password into it, because the configuration is shown to people. The
    /// store itself checks the address exactly.
    static let storeAddress = ConfigurationText(
        expected: "\"sqlite:/path\" or \"postgresql://…\" without a password"
    ) { text in
        guard text.utf8.count <= ConfigurationLimits.pathBytes,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return false }
        if text.hasPrefix("sqlite:") {
            let path = text.dropFirst("sqlite:".count)
            return path.hasPrefix("/") && !path.hasSuffix("/")
        }
        guard let prefix = ["postgresql://", "postgres://"].first(where: { text.hasPrefix($0) }) else {
            return false
        }
        return hasNoPassword(text.dropFirst(prefix.count))
    }

    /// Returns true when what follows `postgresql://` has no password before an `@` and none among its parameters.
    private static func hasNoPassword(_ rest: Substring) -> Bool {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if let at = parts[0].lastIndex(of: "@"), parts[0][..<at].contains(":") { return false }
        guard parts.count == 2 else { return true }
        return parts[1].split(separator: "&").allSatisfy { parameter in
            let name = parameter.prefix { $0 != "=" }
            // libpq decodes names, too, so a name with an escape could be any name.
            return !name.contains("%") && !name.hasSuffix("password")
        }
    }

    /// A URL of an https server. Whatever this accepts, the program that posts to it accepts, too.
    static let secureURL = ConfigurationText(
        expected:
            "a URL that begins with \"https://\", without a user and without characters that a URL encodes"
    ) { text in
        text.hasPrefix("https://") && ReceiverURL(text) != nil
    }
}
