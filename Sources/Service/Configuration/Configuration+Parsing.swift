internal import JSON
internal import Vocabulary

extension Configuration {
    /// Reads the text of `retentiond.json`; what is absent has its default.
    ///
    /// - Throws: everything that is wrong at once, each with its line, column and code; or why the text is no JSON.
    public init(parsing source: [UInt8]) throws(ConfigurationError) {
        let reading = try Self.read(source)
        guard reading.findings.isEmpty else { throw ConfigurationError(reading.findings.sorted) }
        self = reading.configuration
    }

    /// Every key that is accepted, as `apps[].bundleId`, found by reading a text that has every object.
    package static func acceptedKeys() -> Set<String> {
        let source = Array(#"{"apps":[{"signingKeys":[{}]}],"limits":{},"log":{}}"#.utf8)
        return (try? read(source))?.keys.names ?? []
    }

    private static func read(
        _ source: [UInt8]
    ) throws(ConfigurationError) -> (configuration: Configuration, findings: Findings, keys: KnownKeys) {
        let limits = JSONLimits(byteCount: ConfigurationLimits.fileBytes, depth: ConfigurationLimits.depth)
        let document = try JSONError.mapped(
            to: { ConfigurationError([Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let keys = KnownKeys()
        let findings = Findings(
            source: source,
            subject: "configuration",
            limit: ConfigurationLimits.findingCount,
            tellsOfMore: false
        )
        var configuration = Configuration(apps: [])
        if let root = ConfigurationObject(SourceValue(document.root, path: [], findings), keys) {
            configuration.readListener(root)
            configuration.readPool(root)
            configuration.readPlaces(root)
            configuration.readApps(root)
            configuration.readPolicy(root)
            configuration.readLog(root)
            _ = root.take("$schema")  // for editors
            root.later("store", "not supported yet")
            root.later("threadsPerWorker", "not supported, a worker has one thread; set \"workers\"")
            root.finish()
        }
        return (configuration, findings, keys)
    }

    private mutating func readListener(_ root: ConfigurationObject) {
        root.boolean("allowRemoteFastCGI", into: &allowRemoteFastCGI)
        if let found = root.take("listen") { readListen(found) }
        if let found = root.take("listenMode"), let text = found.string {
            if let mode = Self.octalMode(text) {
                listenMode = mode
            } else {
                found.report(.invalidValue, "must be an octal number in quotes, such as \"0660\"")
            }
        }
        listenOwner = root.text("listenOwner", .account)
        root.text("listenGroup", into: &listenGroup, .account)
        root.integer("backlog", into: &backlog, ConfigurationLimits.backlog)
    }

    private mutating func readListen(_ value: SourceValue) {
        guard let text = value.string else { return }
        guard let address = ListenAddress(text) else {
            let forms = "must be \"unix:/path\", \"address:port\" with a numeric address, or \"systemd\""
            return value.report(.invalidValue, forms)
        }
        guard address.isLocal || allowRemoteFastCGI else {
            let reason =
                "whoever reaches this address can crash the workers; use a unix socket, or set allowRemoteFastCGI"
            return value.report(.remoteListen, reason)
        }
        listen = address
    }

    /// `"0660"` or `"660"`: three octal digits, zeros before them.
    private static func octalMode(_ text: String) -> UInt32? {
        guard (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode <= 0o777,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
        else { return nil }
        return mode
    }

    private mutating func readPool(_ root: ConfigurationObject) {
        user = root.text("user", .account)
        group = root.text("group", .account)
        root.integer("workers", into: &workers, ConfigurationLimits.workers)
        root.integer("maxRequests", into: &maxRequests, ConfigurationLimits.maxRequests)
        root.integer("drainMilliseconds", into: &drainMilliseconds, ConfigurationLimits.drainMilliseconds)
        root.integer(
            "reloadIntervalMilliseconds",
            into: &reloadIntervalMilliseconds,
            ConfigurationLimits.reloadIntervalMilliseconds
        )
        root.integer("coreLimit", into: &coreLimit, ConfigurationLimits.coreLimit)
    }

    private mutating func readPlaces(_ root: ConfigurationObject) {
        root.text("dataDirectory", into: &dataDirectory, .absolutePath)
        root.text("stateDirectory", into: &stateDirectory, .absolutePath)
        root.text("pidFile", into: &pidFile, .absolutePath)
        identifierKeyFile = root.text("identifierKeyFile", .absolutePath)
    }

    private mutating func readPolicy(_ root: ConfigurationObject) {
        root.paths("anchors", into: &anchors)
        root.integer(
            "maxSignedAgeSeconds",
            into: &maxSignedAgeSeconds,
            ConfigurationLimits.maxSignedAgeSeconds
        )
        root.choice("validityTime", into: &validityTime)
        root.choice("revocation", into: &revocation, later: ["soft", "hard"])
        root.choice("noAnswer", into: &noAnswer)
        root.integer(
            "deadlineMilliseconds",
            into: &deadlineMilliseconds,
            ConfigurationLimits.deadlineMilliseconds
        )
        root.boolean("allowDowngrade", into: &allowDowngrade)
        root.object("limits") { object in
            object.integer(
                "messageBodyBytes",
                into: &limits.messageBodyBytes,
                ConfigurationLimits.messageBodyBytes
            )
            object.integer(
                "notificationBodyBytes",
                into: &limits.notificationBodyBytes,
                ConfigurationLimits.notificationBodyBytes
            )
            object.integer("rulesBytes", into: &limits.rulesBytes, ConfigurationLimits.rulesBytes)
            object.integer("factsBytes", into: &limits.factsBytes, ConfigurationLimits.factsBytes)
            object.integer("sealCopyBytes", into: &limits.sealCopyBytes, ConfigurationLimits.sealCopyBytes)
        }
    }

    private mutating func readLog(_ root: ConfigurationObject) {
        root.integer("slowMilliseconds", into: &slowMilliseconds, ConfigurationLimits.slowMilliseconds)
        root.object("log") { object in
            object.choice("level", into: &log.level)
            object.choice("format", into: &log.format)
            log.decisions = object.text("decisions", .absolutePath)
        }
    }
}
