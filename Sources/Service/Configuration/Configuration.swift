internal import JSON
package import SignedPayloads
internal import System

/// The validated contents of `retentiond.json`: every value is in its range, and every check between values has passed.
///
/// A property has the name of its key in the file, and its initial value is the key's default. ``settings`` says how a
/// key is read and written, and what a HUP does with a change. `examples/retentiond.schema.json` says the same to
/// editors, and what each setting means.
package struct Configuration: Sendable, Hashable {
    package var listen = ListenAddress.unix(path: "/run/retentiond/retentiond.sock")
    package var listenMode: UInt32 = 0o660
    package var listenGroup = "www-data"
    /// `backlog`: the number of connections that the kernel queues. When the queue is full, nginx answers 502 at once.
    package var backlog = 4096

    /// `workers`: the number of worker processes; 0 means ``ProcessorCount.usable``.
    package var workers = 0
    package var maxRequests = 0
    package var drainMilliseconds = 5000
    package var reloadIntervalMilliseconds: Int64 = 1000

    package var stuckMilliseconds: Int64 = 10_000

    package var dataDirectory = "/var/lib/retentiond/data"
    package var stateDirectory = "/var/lib/retentiond/state"
    package var pidFile = "/run/retentiond/retentiond.pid"

    package var anchors: [String] = []
    /// `apps`: the apps whose requests the service answers. Never empty, and no `appAppleId` appears twice.
    package var apps: [AppConfiguration]

    package var maxSignedAgeSeconds: Int64 = 300
    package var validityTime = ValidityTime.now
    package var noAnswer = NoAnswer.status
    package var deadlineMilliseconds: Int64 = 600

    package var limits = ByteLimits()
    package var allowRemoteFastCGI = false

    package var log = LogSettings()
    package var errorLog: String?
    package var slowMilliseconds: Int64 = 200
    package var identifierKeyFile: String?

    package var notifications: NotificationSettings?

    package init(apps: [AppConfiguration]) {
        self.apps = apps
    }

    /// The directory of the unix socket. Nil for another kind of socket, and for a socket directly in `/`.
    package var socketDirectory: String? {
        guard case .unix(let path) = listen, let slash = path.lastIndex(of: "/"), slash > path.startIndex
        else {
            return nil
        }
        return String(path[..<slash])
    }

    package var identifierKeyPath: String { identifierKeyFile ?? "\(stateDirectory)/identifier.key" }

    /// The longest time between two turns of a worker's loop, also when no request comes, and the time between two looks
    /// of the supervisor: a fifth of `stuckMilliseconds`, at most two seconds. Nil when no worker counts as stuck.
    package var turnMilliseconds: Int64? {
        stuckMilliseconds > 0 ? min(2_000, max(1, stuckMilliseconds / 5)) : nil
    }

    /// True when the service trusts any anchor other than Apple's built-in roots. The start, `-t` and `status` report
    /// it.
    package var trustsCustomAnchors: Bool {
        !anchors.isEmpty || apps.contains { !$0.anchors.isEmpty }
    }

    /// Parses the text of `retentiond.json`. A setting that the text does not have keeps its default.
    ///
    /// - Throws: an error with all problems at once, each with its line, column and code; or with the one reason why
    ///   the text is not JSON.
    package init(parsing source: [UInt8]) throws(ConfigurationError) {
        let limits = JSONLimits(byteCount: ConfigurationLimits.fileBytes, depth: ConfigurationLimits.depth)
        let document = try JSONError.mapped(
            to: { ConfigurationError([Finding($0)]) },
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
        guard findings.isEmpty else { throw ConfigurationError(findings.sorted) }
    }

    /// Why an address that other machines reach is refused.
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
        .integer("backlog", \.backlog, 1...65_535).needingRestart(),
    ]

    private static let pool: [Setting<Configuration>] = [
        .integer("workers", \.workers, 0...1024),
        .integer("maxRequests", \.maxRequests, 0...1_000_000_000),
        .integer("drainMilliseconds", \.drainMilliseconds, 0...600_000),
        // At most a minute, because `--reload` waits until its reload begins.
        .integer("reloadIntervalMilliseconds", \.reloadIntervalMilliseconds, 0...60_000).needingRestart(),
        // A worker that waits for a processor for some tenths of a second is not stuck.
        .integer("stuckMilliseconds", \.stuckMilliseconds, 1_000...600_000, allowsZero: true)
            .needingRestart(),
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
        .choice("validityTime", \.validityTime),
        .choice("noAnswer", \.noAnswer),
        // Apple itself gives up after 700 ms.
        .integer("deadlineMilliseconds", \.deadlineMilliseconds, 1...60_000),
        .object("limits", \.limits, ByteLimits.settings),
        .boolean("allowRemoteFastCGI", \.allowRemoteFastCGI).needingRestart(),
    ]

    private static let logging: [Setting<Configuration>] = [
        .object("log", \.log, LogSettings.settings),
        .optionalText("errorLog", \.errorLog, .absolutePath),
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
        .optionalText("decisions", \.decisions, .absolutePath),
    ]
}

package struct LogSettings: Sendable, Hashable {
    package var level = LogLevel.info
    package var format = LogFormat.logfmt
    package var decisions: String?

    package init() {}
}

package enum LogFormat: String, Sendable, Hashable, CaseIterable {
    case logfmt
    case json
}

/// The severity of a log line. The raw values are also those of swift-log's `Logger.Level`.
package enum LogLevel: String, Sendable, Hashable, CaseIterable {
    /// Details for developers of the program.
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
