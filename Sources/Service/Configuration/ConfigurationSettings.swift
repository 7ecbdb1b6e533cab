internal import JSON

extension Configuration {
    /// Every key of `retentiond.json`, in the order of `-T`, the schema and the manual.
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
        Setting(
            key: "$schema",
            meaning: "For editors; retentiond does not read it.",
            onHangup: nil,
            schema: [
                (
                    "type",
                    .array(["string", "null", "boolean", "number", "array", "object"].map { .string($0) })
                )
            ],
            read: { _, _ in },
            write: { _, _ in nil }
        ),
        .address(
            "listen", \.listen,
            "Where FastCGI requests are accepted: \"unix:/path\", \"address:port\" with a numeric address (an IPv6 address in brackets), or \"systemd\" for the socket of LISTEN_FDS."
        ).needingRestart(),
        .converted(
            "listenMode",
            \.listenMode,
            pattern: "^0?[0-7]{3}$",
            expected: "an octal number in quotes, such as \"0660\"",
            "Permission bits of the unix socket, as an octal number in quotes.",
            read: { OctalMode.read($0) },
            write: { OctalMode.text($0) }
        ).needingRestart(),
        .text("listenGroup", \.listenGroup, .account, "Group of the unix socket: the one nginx runs in.")
            .needingRestart(),
        .integer(
            "backlog", \.backlog, 1...65_535,
            "How many connections the kernel queues. When the queue is full, nginx answers 502 at once."
        ).needingRestart(),
    ]

    private static let pool: [Setting<Configuration>] = [
        .integer(
            "workers", \.workers, 0...1024,
            "Number of worker processes; 0 means one for each processor core that affinity and control groups let the pool use."
        ),
        .integer(
            "maxRequests", \.maxRequests, 0...1_000_000_000,
            "A worker is replaced after about this many requests; 0 means never."),
        .integer(
            "drainMilliseconds", \.drainMilliseconds, 0...600_000,
            "How long TERM waits for requests in flight; QUIT waits a minute, a reload at least a second."),
        // At most a minute, because `--reload` waits until its reload begins.
        .integer(
            "reloadIntervalMilliseconds", \.reloadIntervalMilliseconds, 0...60_000,
            "Reloads begin at least this far apart; all signals in between make one reload. 0 means no pause."
        ).needingRestart(),
        .integer(
            "stuckMilliseconds",
            \.stuckMilliseconds,
            // A worker that waits for a processor for some tenths of a second is not stuck.
            1_000...600_000,
            allowsZero: true,
            "A worker that does nothing at all for this long, because it was stopped or a disk hangs, is replaced; 0 means never, as for a debugger."
        ).needingRestart(),
        .text(
            "dataDirectory", \.dataDirectory, .absolutePath,
            "Where *.rules.json and *.facts files are pushed to."
        ).needingRestart(),
        .text(
            "stateDirectory", \.stateDirectory, .absolutePath,
            "Where the daemon keeps the generation that serves and the one before, the verdict of the last reload, certificate chains and the keys that it makes."
        ).needingRestart(),
        .text("pidFile", \.pidFile, .absolutePath, "Where the supervisor writes its process number.")
            .needingRestart(),
    ]

    private static let trust: [Setting<Configuration>] = [
        .paths("anchors", \.anchors, "PEM files of root certificates that replace Apple's built-in ones."),
        .objects(
            "apps",
            \.apps,
            AppConfiguration.settings,
            empty: AppConfiguration(appAppleId: 0, bundleId: "", environments: []),
            limit: ConfigurationLimits.appCount,
            "The apps whose requests are answered. Each appAppleId may occur once.",
            check: { value, app, before in app.check(value, before) }
        ).required(),
    ]

    private static let policy: [Setting<Configuration>] = [
        // At most a year.
        .integer(
            "maxSignedAgeSeconds", \.maxSignedAgeSeconds, 0...31_536_000,
            "A request that was signed more than this many seconds ago is refused. 0 turns the check off."),
        .choice(
            "validityTime", \.validityTime,
            "The time at which the certificates of a request must be valid: the present, or the signedDate of the request."
        ),
        .choice(
            "revocation", \.revocation, later: ["soft", "hard"],
            "Whether certificates are checked for revocation. This version supports only \"off\"."),
        .choice(
            "noAnswer", \.noAnswer,
            "What is sent when the rules give no message: \"status\" is a 503, \"empty\" is 200 with {}."),
        // Apple itself gives up after 700 ms.
        .integer(
            "deadlineMilliseconds", \.deadlineMilliseconds, 1...60_000,
            "How long an answer may take, counted from when nginx received the request. A later answer becomes a 503."
        ),
        .object(
            "limits", \.limits, ByteLimits.settings, standard: ByteLimits(),
            "The largest sizes that are accepted, in bytes."),
        .boolean(
            "allowRemoteFastCGI", \.allowRemoteFastCGI,
            "Whether `listen` may be an address that other machines reach. Such a machine could crash the workers."
        ).needingRestart(),
        .integer(
            "coreLimit", \.coreLimit, 0...1 << 40,
            "The largest core file of the pool, in bytes. A core file contains payloads."
        ).needingRestart(),
    ]

    private static let logging: [Setting<Configuration>] = [
        .object("log", \.log, LogSettings.settings, standard: LogSettings(), "What is logged, and how."),
        .optionalText(
            "errorLog", \.errorLog, .absolutePath,
            "File of the pool's log lines, which USR1 reopens. When absent, the lines go to standard error."),
        .integer(
            "slowMilliseconds", \.slowMilliseconds, 0...600_000,
            "A request that takes this long or longer is logged with the time of its verification and its whole time; 0 means never."
        ),
        .optionalText(
            "identifierKeyFile", \.identifierKeyFile, .absolutePath,
            "File of the key that makes the pseudonyms of subscribers in decision records. Hosts whose records you join need the same key. When absent, the pool makes a key in `stateDirectory`."
        ),
    ]

    private static let recorder: [Setting<Configuration>] = [
        .optionalObject(
            "notifications", \.notifications, NotificationSettings.settings, standard: NotificationSettings(),
            "What retentiond-recorder does with App Store Server Notifications. It alone reads this object. Without the object it takes no notifications."
        )
    ]
}

extension ByteLimits {
    static let settings: [Setting<ByteLimits>] = [
        // Each connection holds its body in memory.
        .integer(
            "messageBodyBytes", \.messageBodyBytes, 1024...16 << 20,
            "The largest body of a retention-message request."),
        .integer(
            "notificationBodyBytes", \.notificationBodyBytes, 1024...512 << 10,
            "The largest body of a notification. The nginx files and the decoder take bodies up to the greatest value."
        ),
        .integer("rulesBytes", \.rulesBytes, 4096...4 << 30, "The largest *.rules.json file."),
        .integer("factsBytes", \.factsBytes, 4096...1 << 40, "The largest *.facts file."),
    ]
}

extension LogSettings {
    static let settings: [Setting<LogSettings>] = [
        .choice("level", \.level, "The lowest severity of the lines that are written."),
        .choice("format", \.format, "One line of key=value pairs, or one JSON object."),
        .optionalText(
            "decisions", \.decisions, .absolutePath,
            "File of the decision records. When absent, no records are written."),
    ]
}
