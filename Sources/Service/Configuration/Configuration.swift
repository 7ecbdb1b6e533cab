internal import JSON
public import SignedPayloads
internal import Vocabulary

/// The validated contents of `retentiond.json`: every value is in its range, and every check between values has passed.
///
///     let configuration = try Configuration(parsing: bytes)
///     let appNumbers = configuration.apps.map(\.appAppleId)
///     let changedKeys = configuration.restartKeys(changedFrom: running)
///
/// A property has the name of its key in the file, and its initial value is the key's default. ``settings`` holds
/// everything else about a key: the reader, `-T`, the rule for HUP, the schema and the manual follow from it.
public struct Configuration: Sendable, Hashable {
    /// `listen`: the address at which the pool accepts FastCGI requests.
    public var listen = ListenAddress.unix(path: "/run/retentiond/retentiond.sock")
    /// `listenMode`: permission bits of the unix socket. The file has them as an octal string such as `"0660"`.
    public var listenMode: UInt32 = 0o660
    /// `listenGroup`: the group of the unix socket, which is the group that nginx runs in.
    public var listenGroup = "www-data"
    /// `backlog`: the number of connections that the kernel queues. When the queue is full, nginx answers 502 at once.
    public var backlog = 4096

    /// `workers`: the number of worker processes; 0 means ``ProcessorCount.usable``.
    public var workers = 0
    /// `maxRequests`: the supervisor replaces a worker after about this many requests; 0 means never.
    public var maxRequests = 0
    /// `drainMilliseconds`: how long TERM waits for requests in flight.
    public var drainMilliseconds = 5000
    /// `reloadIntervalMilliseconds`: the shortest time between the starts of two reloads; 0 means that reloads begin at
    /// once.
    public var reloadIntervalMilliseconds: Int64 = 1000

    /// `stuckMilliseconds`: the supervisor replaces a worker whose loop has not turned for this long; 0 means never.
    public var stuckMilliseconds: Int64 = 10_000

    /// `dataDirectory`: the directory that `*.rules.json` and `*.facts` files are pushed to.
    public var dataDirectory = "/var/lib/retentiond/data"
    /// `stateDirectory`: the directory of the generations, the reload verdict, the chains and the keys
    /// that the daemon makes.
    public var stateDirectory = "/var/lib/retentiond/state"
    /// `pidFile`: the file to which the supervisor writes its process number.
    public var pidFile = "/run/retentiond/retentiond.pid"

    /// `anchors`: paths of PEM files whose certificates replace Apple's built-in roots; empty means Apple's roots.
    public var anchors: [String] = []
    /// `apps`: the apps whose requests the service answers. Never empty, and no `appAppleId` appears twice.
    public var apps: [AppConfiguration]

    /// `maxSignedAgeSeconds`: the service refuses a retention message that was signed longer ago; 0 means no limit.
    public var maxSignedAgeSeconds: Int64 = 300
    /// `validityTime`: the instant at which the certificates of a retention message must be valid.
    public var validityTime = ValidityTime.now
    /// `revocation`: whether the service asks OCSP about certificates.
    public var revocation = Revocation.off
    /// `noAnswer`: what the service sends when the rules say "none".
    public var noAnswer = NoAnswer.status
    /// `deadlineMilliseconds`: the time for an answer, counted from when nginx received the request. A later answer is
    /// a 503.
    public var deadlineMilliseconds: Int64 = 600

    /// `limits`: the sizes in bytes that the service accepts.
    public var limits = ByteLimits()

    /// `allowRemoteFastCGI`: whether `listen` may be an address other than loopback.
    public var allowRemoteFastCGI = false
    /// `coreLimit`: RLIMIT_CORE of the pool in bytes. A core file holds payloads, so the default is 0.
    public var coreLimit: Int64 = 0

    /// `log`: severity, format and the file of decision records.
    public var log = LogSettings()
    /// `errorLog`: path of the file that takes the log lines of the pool; nil means standard error.
    public var errorLog: String?
    /// `slowMilliseconds`: a request that takes this long or longer is logged with the time of its verification and its
    /// total time; 0 means never.
    public var slowMilliseconds: Int64 = 200
    /// `identifierKeyFile`: path of the key that turns subscriber identifiers into the pseudonyms of the decision log.
    /// Nil means a key that the daemon makes once in `stateDirectory`.
    public var identifierKeyFile: String?

    /// `notifications`: what `retentiond-recorder` does. Nil means that it takes no notifications.
    public var notifications: NotificationSettings?

    /// Creates a configuration for these apps. Every other setting has its default.
    public init(apps: [AppConfiguration]) {
        self.apps = apps
    }

    /// The directory of the unix socket. Nil for another kind of socket, and for a socket directly in `/`.
    public var socketDirectory: String? {
        guard case .unix(let path) = listen, let slash = path.lastIndex(of: "/"), slash > path.startIndex
        else {
            return nil
        }
        return String(path[..<slash])
    }

    /// The path of the key: `identifierKeyFile`, else the path at which the daemon makes a key.
    public var identifierKeyPath: String { identifierKeyFile ?? "\(stateDirectory)/identifier.key" }

    /// The longest time between two turns of a worker's loop, also when no request comes, and the time between two looks
    /// of the supervisor: a fifth of `stuckMilliseconds`, at most two seconds. Nil when no worker counts as stuck.
    public var turnMilliseconds: Int64? {
        stuckMilliseconds > 0 ? min(2_000, max(1, stuckMilliseconds / 5)) : nil
    }

    /// True when the service trusts any anchor other than Apple's built-in roots. The start, `-t` and `status` report
    /// it.
    public var trustsCustomAnchors: Bool {
        !anchors.isEmpty || apps.contains { !$0.anchors.isEmpty }
    }

    /// Parses the text of `retentiond.json`. A setting that the text does not have keeps its default.
    ///
    /// - Throws: an error with all problems at once, each with its line, column and code; or with the one reason why
    ///   the text is not JSON.
    public init(parsing source: [UInt8]) throws(ConfigurationError) {
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

    /// Returns the configuration as JSON with every default written out. The text parses to an equal value, unless
    /// secrets are hidden.
    ///
    /// - Parameter hidingSecrets: true for output to people (`-T`): every issuer identifier becomes `hidden`. The file
    ///   holds no other secret, because it only names the files of keys. False for text that another process reads.
    /// - Returns: indented JSON with a line feed at the end.
    public func effectiveJSON(hidingSecrets: Bool) -> [UInt8] {
        let members = Self.settings.members(of: self, hidingSecrets: hidingSecrets)
        return JSONNode.object(members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// Returns the JSON Schema of `retentiond.json`, as in `examples/retentiond.schema.json`. Its `x-on-hup` says what
    /// a HUP does with a change of the setting.
    package static func schemaJSON() -> [UInt8] {
        let head: [(String, JSONNode)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("retentiond.json")),
            (
                "description",
                .string(
                    "Configuration of retentiond and retentiond-recorder. `x-on-hup` says whether a change is applied by a reload or needs a restart."
                )
            ),
        ]
        let members = SettingsSchema.object(settings, standard: Configuration(apps: []), includesHangup: true)
        return JSONNode.object(head + members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// Returns every setting except `$schema`, in the order of the file, for the manual.
    package static func describedSettings() -> [DescribedSetting] {
        DescribedSetting.all(settings, standard: Configuration(apps: [])).filter { $0.path != "$schema" }
    }

    /// Returns the keys whose values differ from the running configuration and that only a restart applies, in the
    /// order of the file. A HUP is refused with `needs-restart` unless the list is empty.
    public func restartKeys(changedFrom running: Configuration) -> [String] {
        Self.settings.filter { $0.onHangup == .restart && $0.differs(self, from: running) }.map(\.key)
    }

    /// Returns those of the given keys whose values differ from the running configuration. A key with a full stop, such as
    /// `log.level`, is one of the object `log`.
    public func keys(_ keys: [String], changedFrom running: Configuration) -> [String] {
        let outer = Set(Self.settings.filter { $0.differs(self, from: running) }.map(\.key))
        let log = Set(
            LogSettings.settings.filter { $0.differs(self.log, from: running.log) }.map { "log.\($0.key)" }
        )
        return keys.filter { outer.contains($0) || log.contains($0) }
    }
}

/// What the service sends when the rules give no message and Apple is to fall back to the message of App Store Connect.
public enum NoAnswer: String, Sendable, Hashable, CaseIterable {
    /// 503 with the problem `no-answer`. Apple documents that a 503 leads to its fallback.
    case status
    /// 200 with `{}`. Apple does not document that this leads to its fallback.
    case empty
}

/// Whether the service asks if certificates were revoked.
public enum Revocation: String, Sendable, Hashable, CaseIterable {
    /// Never. This version accepts no other value.
    case off
}
