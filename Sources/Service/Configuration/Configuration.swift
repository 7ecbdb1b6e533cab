internal import JSON
package import Reply
package import System

/// The validated contents of `retentiond.json`: every value is in its range, and every check between values has passed.
///
/// A property has the name of its key in the file, and its initial value is the key's default. ``settings`` says how a
/// key is read and written, and what a HUP does with a change. `examples/retentiond.schema.json` says the same to
/// editors, and what each setting means.
package struct Configuration: Sendable, Hashable {
    package var listen = ListenAddress.unix(path: "/run/retentiond/retentiond.sock")
    package var listenMode: UInt32 = 0o660
    package var listenGroup = "www-data"
    /// `workers`: the number of worker processes; 0 means ``ProcessorCount.usable``.
    package var workers = 0
    package var maxRequests = 0
    package var drainMilliseconds = 5000
    package var dataDirectory = "/var/lib/retentiond/data"
    package var stateDirectory = "/var/lib/retentiond/state"
    package var pidFile = "/run/retentiond/retentiond.pid"

    package var anchors: [String] = []
    /// `apps`: the apps whose requests the service answers. Never empty, and no `appAppleId` appears twice.
    package var apps: [AppConfiguration]

    package var maxSignedAgeSeconds: Int64 = 300
    package var noAnswer = NoAnswer.status
    package var deadlineMilliseconds: Int64 = 600

    package var limits = ByteLimits()
    package var allowRemoteFastCGI = false

    package var log = LogSettings()
    package var slowMilliseconds: Int64 = 200
    package var identifierKeyFile: String?

    package var notifications: NotificationSettings?

    package init(apps: [AppConfiguration]) {
        self.apps = apps
    }

    /// The directory of the unix socket. Nil for another kind of socket, and for a socket directly in `/`.
    package var socketDirectory: String? {
        guard case .unix(let path) = listen else { return nil }
        let directory = Directory.parent(of: path)
        return directory == "/" ? nil : directory
    }

    package var identifierKeyPath: String { identifierKeyFile ?? "\(stateDirectory)/identifier.key" }

    /// True when the service trusts any anchor other than Apple's built-in roots.
    package var trustsCustomAnchors: Bool {
        !anchors.isEmpty || apps.contains { !$0.anchors.isEmpty }
    }

    /// Parses the text of `retentiond.json`. A setting that the text does not have keeps its default. Throws all problems at once, each
    /// with its line, column and code; or the one reason why the text is not JSON.
    package init(parsing source: [UInt8]) throws(ConfigurationError) {
        let limits = JSONLimits(byteCount: ConfigurationLimits.fileBytes, depth: ConfigurationLimits.depth)
        let document = try JSONError.mapped(
            to: { ConfigurationError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(
            source: source, subject: "configuration", limit: ConfigurationLimits.findingCount,
            reportsOverflow: false)
        let root = SourceValue(document.root, path: [], findings)
        self.init(apps: [])
        root.read(Self.settings, later: Self.later, into: &self)
        if !listen.isLocal, !allowRemoteFastCGI {
            root.member("listen")?.report(.remoteListen, Self.remoteListenReason)
        }
        if let notifications, let entry = root.member("notifications") {
            notifications.check(entry, pool: self)
        }
        guard findings.isEmpty else { throw ConfigurationError(findings: findings.sorted) }
    }

    static let remoteListenReason =
        "whoever reaches this address can crash the workers; use a unix socket, or set allowRemoteFastCGI"

    /// Returns the configuration as JSON with every default written out. With `hidingSecrets`, for people (`-T`), every
    /// issuer identifier becomes `hidden`; without, the text parses to an equal value.
    package func effectiveJSON(hidingSecrets: Bool) -> [UInt8] {
        let members = Self.settings.members(of: self, hidingSecrets: hidingSecrets)
        return JSONNode.object(members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// Returns the keys whose values differ from the running configuration and that only a restart applies, in the
    /// order of the file. A HUP is refused with `needs-restart` unless the list is empty.
    package func restartKeys(changedFrom running: Configuration) -> [String] {
        Self.settings.filter { $0.needsRestart && $0.differs(self, from: running) }.map(\.key)
    }

    /// Returns those of the given keys whose values differ from the running configuration. A key with a full stop, such as
    /// `log.level`, is one of the object `log`.
    package func keys(_ keys: [String], changedFrom running: Configuration) -> [String] {
        let outer = Set(Self.settings.filter { $0.differs(self, from: running) }.map(\.key))
        let log = Set(
            LogSettings.settings.filter { $0.differs(self.log, from: running.log) }.map { "log.\($0.key)" }
        )
        return keys.filter { outer.contains($0) || log.contains($0) }
    }
}

/// What the service sends when the rules give no message and Apple is to fall back to the message of App Store Connect.
package enum NoAnswer: String, Sendable, Hashable, CaseIterable {
    /// 503 with the problem `no-answer`. Apple documents that a 503 leads to its fallback.
    case status
    /// 200 with `{}`. Apple does not document that this leads to its fallback.
    case empty
}

extension Configuration {
    static let settings: [Setting<Configuration>] =
        listener + pool + trust + policy + logging + recorder

    /// Keys that this version does not support, each with the message that refuses it.
    static let later: [(key: String, message: String)] = [
        ("store", "not supported here; set \"store\" in \"notifications\""),
        ("threadsPerWorker", "not supported, a worker has one thread; set \"workers\""),
        ("errorLog", "set \"errorLog\" in \"log\""),
        ("user", userReason), ("group", userReason), ("listenOwner", userReason),
    ]

    private static let userReason =
        "not supported, the daemon runs as whoever starts it; set User= and Group= in its unit"

    private static let listener: [Setting<Configuration>] = [
        // For editors.
        Setting(key: "$schema", read: { _, _ in }, write: { _, _ in nil }),
        .address("listen", \.listen).needingRestart(),
        .converted(
            "listenMode", \.listenMode, expected: "an octal number in quotes, such as \"0660\"",
            read: { OctalMode.read($0) }, write: { OctalMode.text($0) }
        ).needingRestart(),
        .text("listenGroup", \.listenGroup, .account).needingRestart(),
    ]

    private static let pool: [Setting<Configuration>] = [
        .integer("workers", \.workers, 0...1024),
        .integer("maxRequests", \.maxRequests, 0...1_000_000_000),
        .integer("drainMilliseconds", \.drainMilliseconds, 0...600_000),
        .text("dataDirectory", \.dataDirectory, .absolutePath).needingRestart(),
        .text("stateDirectory", \.stateDirectory, .absolutePath).needingRestart(),
        .text("pidFile", \.pidFile, .absolutePath).needingRestart(),
    ]

    private static let trust: [Setting<Configuration>] = [
        .texts("anchors", \.anchors, .absolutePath),
        .objects(
            "apps", \.apps, AppConfiguration.settings,
            empty: AppConfiguration(appAppleId: 0, bundleId: "", environments: []),
            limit: ConfigurationLimits.appCount, check: { value, app, before in app.check(value, before) }
        ).required(),
    ]

    private static let policy: [Setting<Configuration>] = [
        // At most a year.
        .integer("maxSignedAgeSeconds", \.maxSignedAgeSeconds, 0...31_536_000),
        .choice("noAnswer", \.noAnswer),
        // Apple itself gives up after 700 ms.
        .integer("deadlineMilliseconds", \.deadlineMilliseconds, 1...60_000),
        .object("limits", \.limits, ByteLimits.settings),
        .boolean("allowRemoteFastCGI", \.allowRemoteFastCGI).needingRestart(),
    ]

    private static let logging: [Setting<Configuration>] = [
        .object("log", \.log, LogSettings.settings),
        .integer("slowMilliseconds", \.slowMilliseconds, 0...600_000),
        .optionalText("identifierKeyFile", \.identifierKeyFile, .absolutePath),
    ]

    private static let recorder: [Setting<Configuration>] = [
        .optionalObject(
            "notifications", \.notifications, NotificationSettings.settings, standard: NotificationSettings())
    ]
}

/// `limits`: the largest sizes that are accepted, in bytes.
package struct ByteLimits: Sendable, Hashable {
    /// Apple's bodies are about 6 KB, and each connection holds its body in memory.
    package var messageBodyBytes = 64 << 10
    package var notificationBodyBytes = ConfigurationLimits.notificationBodyBytes
    package var rulesBytes = 64 << 20
    /// 50 million subscribers take less than a gigabyte.
    package var factsBytes = 16 << 30

    static let settings: [Setting<ByteLimits>] = [
        .integer("messageBodyBytes", \.messageBodyBytes, 1024...16 << 20),
        .integer(
            "notificationBodyBytes", \.notificationBodyBytes, 1024...ConfigurationLimits.notificationBodyBytes
        ),
        // The reader of rules takes no longer source.
        .integer("rulesBytes", \.rulesBytes, 4096...64 << 20),
        .integer("factsBytes", \.factsBytes, 4096...1 << 40),
    ]
}

extension LogSettings {
    static let settings: [Setting<LogSettings>] = [
        .choice("level", \.level), .choice("format", \.format),
        .optionalText("errorLog", \.errorLog, .absolutePath),
        .optionalText("decisions", \.decisions, .absolutePath),
    ]

    package static let keys = settings.map(\.key)
}

package struct LogSettings: Sendable, Hashable {
    package var level = LogLevel.info
    package var format = LogFormat.logfmt
    package var errorLog: String?
    package var decisions: String?

    package init() {}
}

package enum LogFormat: String, Sendable, Hashable, CaseIterable {
    case logfmt
    case json
}

/// The severity of a log line. The raw values are also those of swift-log's `Logger.Level`.
package enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case debug
    /// At most one line for each request, when there is something to report about it.
    case info
    /// A step in the life of a process: started, reloaded, draining.
    case notice
    /// The service is degraded but answers: a reload was refused, a worker crashed.
    case warning
    /// Somebody must act.
    case error
}

/// One entry of `apps`: an app whose requests the service answers.
package struct AppConfiguration: Sendable, Hashable {
    package var appAppleId: Int64
    package var bundleId: String
    /// In the order of the file. Never empty and never `Xcode`. `LocalTesting` must be the only environment, and the app must then
    /// have `anchors` of its own.
    package var environments: [Environment]
    /// Empty: the app uses the configured or built-in roots.
    package var anchors: [String] = []
    package var offerSignature = OfferSignature.v2
    package var signingKeys: [SigningKeyReference] = []
    /// Nil: the app has at most one key, and that key signs.
    package var signingKeyId: String?

    package var advancedCommerce = AdvancedCommerceForm.signatureInfo

    package var signsAdvancedCommerce: Bool { advancedCommerce != .off }

    package var signingKey: SigningKeyReference? {
        signingKeyId.map { id in signingKeys.first { $0.keyId == id } } ?? signingKeys.first
    }

    package init(appAppleId: Int64, bundleId: String, environments: [Environment]) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environments = environments
    }
}

extension AppConfiguration {
    static let settings: [Setting<AppConfiguration>] = [
        .integer("appAppleId", \.appAppleId, 1...Int64.max).required(),
        .text("bundleId", \.bundleId, .bundleIdentifier).required(),
        environmentsSetting.required(),
        .texts("anchors", \.anchors, .absolutePath),
        .choice("offerSignature", \.offerSignature),
        .objects(
            "signingKeys", \.signingKeys, SigningKeyReference.settings,
            empty: SigningKeyReference(keyId: "", issuerId: "", file: ""),
            limit: ConfigurationLimits.listCount),
        .optionalText("signingKeyId", \.signingKeyId, .identifier),
        .choice("advancedCommerce", \.advancedCommerce),
    ]

    private static let environmentsSetting = Setting<AppConfiguration>(
        key: "environments",
        read: { value, app in
            for element in value.list(limit: ConfigurationLimits.listCount) {
                guard let word = element.string else { continue }
                switch Environment(rawValue: word) {
                case .xcode?:
                    let reason =
                        "\"Xcode\" is never accepted, nobody signs its payloads; use \"LocalTesting\""
                    element.report(.xcodeEnvironment, reason)
                case nil:
                    element.report(.invalidValue, "must be \"Production\", \"Sandbox\" or \"LocalTesting\"")
                case let environment?: app.environments.append(environment)
                }
            }
            value.refuseDuplicates(app.environments.map(\.rawValue))
        },
        write: { app, _ in .array(app.environments.map { .string($0.rawValue) }) }
    )

    /// Reports values of this app that contradict each other, and an `appAppleId` that an app in `before` has already.
    /// `entry` is the app's place in the text.
    func check(_ entry: SourceValue, _ before: [AppConfiguration]) {
        if appAppleId > 0, before.contains(where: { $0.appAppleId == appAppleId }) {
            entry.member("appAppleId")?
                .report(.duplicateApp, "\(appAppleId) is configured above already")
        }
        if environments.contains(.localTesting) {
            if environments.contains(where: { $0 != .localTesting }) {
                entry.member("environments")?.report(
                    .localTestingMixed, "\"LocalTesting\" must be the only environment of its app")
            }
            if entry.member("anchors") == nil {
                entry.member("environments")?.report(
                    .localTestingAnchors, "\"LocalTesting\" needs \"anchors\" of the app's own")
            }
        }
        entry.member("signingKeys")?.refuseDuplicates(signingKeys.map(\.keyId))
        if let signingKeyId {
            guard !signingKeys.contains(where: { $0.keyId == signingKeyId }) else { return }
            entry.member("signingKeyId")?
                .report(.signingKeyChoice, "is not the \"keyId\" of one of \"signingKeys\"")
        } else if signingKeys.count > 1 {
            entry.member("signingKeys")?
                .report(.signingKeyChoice, "\"signingKeyId\" must say which of these signs")
        }
    }
}

extension SigningKeyReference {
    static let settings: [Setting<SigningKeyReference>] = [
        .text("keyId", \.keyId, .identifier).required(),
        .text("issuerId", \.issuerId, .identifier, isSecret: true).required(),
        .text("file", \.file, .absolutePath).required(),
    ]
}

/// One entry of `signingKeys`: where an In-App Purchase key is. It never holds the key itself.
package struct SigningKeyReference: Sendable, Hashable {
    package var keyId: String
    package var issuerId: String
    package var file: String
}

/// The `notifications` object: where `retentiond-recorder` takes App Store Server Notifications, and what it does with
/// them. `retentiond` itself does not read it.
package struct NotificationSettings: Sendable, Hashable {
    /// The mode and the group of a unix socket are those of the pool's own socket.
    package var listen = ListenAddress.unix(path: "/run/retentiond-recorder/notifications.sock")
    package var store = "sqlite:/var/lib/retentiond/store/notifications.db"
    /// The verdicts of the recorder's reloads are beside it.
    package var pidFile = "/run/retentiond-recorder/recorder.pid"
    package var deadlineMilliseconds: Int64 = 5000
    package var retentionDays: Int64 = 0
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
        // Apple's servers wait longer, but say that an answer should take a few seconds at most.
        .integer("deadlineMilliseconds", \.deadlineMilliseconds, 100...60_000),
        .integer("retentionDays", \.retentionDays, 0...36_500),
        .objects(
            "forward", \.forward, ForwardDestination.settings, empty: ForwardDestination(url: ""),
            limit: ConfigurationLimits.listCount,
            check: { value, destination, before in
                guard before.contains(where: { $0.url == destination.url }) else { return }
                value.member("url")?.report(.duplicateValue, "this URL is listed above already")
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

    static let secureURL = ConfigurationText(
        expected:
            "a URL that begins with \"https://\", without a user and without characters that a URL encodes"
    ) { text in
        text.hasPrefix("https://") && ReceiverURL(text) != nil
    }
}
