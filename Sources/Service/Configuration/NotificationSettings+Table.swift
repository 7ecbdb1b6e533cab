internal import JSON
internal import Vocabulary

extension NotificationSettings {
    /// The settings of `notifications`, in the order of `-T`, the schema and the manual.
    static let settings: [Setting<NotificationSettings>] = [
        .address(
            "listen", \.listen,
            "Where the recorder accepts FastCGI requests, in the forms of the outer `listen`."
        ).needingRestart(),
        .text(
            "store", \.store, .storeAddress,
            "Where notifications are kept: \"sqlite:/path\", or \"postgresql://…\" for a database of a server. The address must not contain a password: give it in a password file of libpq (PASSWORDS in retention-store(5))."
        ).needingRestart(),
        .text("pidFile", \.pidFile, .absolutePath, "File with the process number of the running recorder.")
            .needingRestart(),
        .optionalText(
            "errorLog", \.errorLog, .absolutePath,
            "File of the recorder's log lines, which USR1 reopens. When absent, the lines go to standard error."
        ),
        // Apple's servers wait longer, but say that an answer should take a few seconds at most.
        .integer(
            "deadlineMilliseconds", \.deadlineMilliseconds, 100...60_000,
            "How long the recorder may take for an answer. After that it answers 503, and Apple sends the notification again."
        ),
        .integer(
            "retentionDays", \.retentionDays, 0...36_500,
            "Notifications that are older and that no fact needs may be deleted. 0 keeps them for ever."),
        .integer("batchCount", \.batchCount, 1...4096, "The most notifications that are committed together.")
            .needingRestart(),
        .integer(
            "waitingCount", \.waitingCount, 1...16_384,
            "The most notifications that wait for their commit. Each holds a connection of nginx. Further ones are answered with 503 at once."
        ).needingRestart(),
        .integer(
            "waitingBytes", \.waitingBytes, 1 << 20...4 << 30,
            "The most bytes of bodies that wait for their commit. Further notifications are answered with 503 at once."
        ).needingRestart(),
        .objects(
            "forward",
            \.forward,
            ForwardDestination.settings,
            empty: ForwardDestination(url: ""),
            limit: ConfigurationLimits.listCount,
            "Other receivers. Each gets the body of every stored notification that matches its lists at least once, in the order of storing. The recorder only measures how far they are behind; retention-forward.service passes on, and reads the list when it starts.",
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
        .text(
            "url", \.url, .secureURL, isSecret: true,
            "The https URL to which the bodies are posted. Redirects are not followed. The URL may have a secret in it, so it is hidden in the output of -T."
        )
        .required(),
        .texts(
            "environments", \.environments, .storeEnvironment,
            "The environments whose notifications it gets; all when absent."),
        .texts(
            "apps", \.apps, .bundleIdentifier,
            "The bundle identifiers of the apps whose notifications it gets; all when absent."),
        .texts(
            "types", \.types, .notificationType, "The types (notificationType) that it gets; all when absent."
        ),
    ]
}

extension ConfigurationText {
    /// The address of a store. Nobody may write a password into it, because the configuration is shown to people. The
    /// store itself checks the address exactly.
    static let storeAddress = ConfigurationText(
        expected:
            "\"sqlite:/path\" or \"postgresql://…\" without a password",
        pattern: "^(sqlite:/.*[^/]|postgres(ql)?://([^:@/?]*@)?[^@?]*([?][^@]*)?)$",
        byteLimit: ConfigurationLimits.pathBytes
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
            "a URL that begins with \"https://\", without a user and without characters that a URL encodes",
        pattern: ReceiverURL.securePattern,
        byteLimit: ReceiverURL.byteLimit
    ) { text in
        text.hasPrefix("https://") && ReceiverURL(text) != nil
    }
}
