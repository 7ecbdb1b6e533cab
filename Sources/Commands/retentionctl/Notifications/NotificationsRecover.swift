internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import JSON
internal import NotificationStore
internal import Recovery
internal import SignedPayloads
internal import System

struct NotificationsRecover: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Brings notifications that the store may miss from Apple's history into it.",
        discussion: """
            Finds in the store which ranges of time no earlier run has read to the end, and reads them page by page from \
            Get Notification History: 180 days in Production, 30 days in Sandbox. The ranges overlap on purpose; what is in \
            the store is not stored again. The recorder may run at the same time. A run that was interrupted or killed goes \
            on where it was. --only-failures reads only what Apple has not delivered yet; the range does not count as read.

            The report says how many notifications were new. The command ends with 65 when one could not be verified or \
            stored; its range is read again by the next run. The app of the credentials must be one of --config, if that \
            is given. The store is made when there is none.

            --dry-run stores nothing. It prints a line, or with --json an object, for each notification: the time of signing, \
            the type, the notificationUUID, and the result of each attempt to send it; or the code of its refusal, and \
            the command then ends with 65.

            Examples:
              retentionctl notifications recover --environment Production \\
                --profile apple.json --config /etc/retentiond/retentiond.json
              retentionctl notifications recover --environment Sandbox \\
                --profile apple.json --dry-run --only-failures \\
                --from 2026-06-01T00:00:00Z
            """
    )

    @Option(help: "Look from this time on: RFC 3339 or milliseconds since 1970; all if absent.")
    var from: TimeArgument?

    @Option(help: "Look at the time before this; the present if absent.")
    var to: TimeArgument?

    @Flag(help: "Only notifications that Apple has not delivered.")
    var onlyFailures = false

    @Flag(help: "Print what Apple's history has, and store nothing.")
    var dryRun = false

    @OptionGroup var options: RecoveryOptions
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let from, let to, from.milliseconds >= to.milliseconds {
            throw ValidationError("--from must be before --to.")
        }
    }

    func run() throws {
        let configuration = try selection.configuration()
        if dryRun { return try show(options.session(configuration)) }
        let address = try selection.address()
        let session = try options.session(configuration)
        let store = try StoreSelection.open(address, .create)
        let recovery = NotificationRecovery(
            api: session.apple.client, store: store, verifier: session.verifier, owner: session.owner,
            now: Clock.wallMilliseconds)
        let range = TimeRange(from: from?.milliseconds ?? 0, to: to?.milliseconds ?? .max)
        let counts: RecoveryCounts
        do {
            counts = try recovery.run(range, onlyFailures: onlyFailures) { counts, time in
                Console.progress("up to \(CivilTime(milliseconds: time)): \(counts.newCount) new")
            }
        } catch let error as NotificationStoreError {
            throw ToolError(error, file: address.description)
        }
        Console.endProgress()
        let place: [(String, JSONNode)] = [
            ("app", .string(session.owner.bundleId)),
            ("environment", .string(session.owner.environment.rawValue)),
        ]
        Report(place + counts.members).print(json: output.json)
        if counts.lostCount > 0 { throw ExitCode(ExitStatus.data.rawValue) }
    }

    private func show(_ session: RecoverySession) throws {
        let now = Clock.wallMilliseconds()
        let earliest = now - RecoverySettings.reachMilliseconds(in: options.apple.environment)
        let (start, end) = (max(from?.milliseconds ?? earliest, earliest), min(to?.milliseconds ?? now, now))
        guard start < end else {
            throw ToolError(
                .usage, code: "recovery.empty-range",
                "--from must be before --to, and within what Apple's history has")
        }
        var request = NotificationHistoryRequest(startDate: start, endDate: end)
        if onlyFailures { request.onlyFailures = true }
        var (token, tokens) = (String?.none, SeenTokens())
        var isRefused = false
        repeat {
            let page = try session.apple.client.notificationHistory(request, paginationToken: token)
            token = page.paginationToken
            if let token { try tokens.add(token) }
            for item in page.notifications {
                let members = Self.members(of: item, session.verifier)
                isRefused = isRefused || members.contains { $0.0 == "refused" }
                output.print(json: .object(members), lines: [Report.line(members)])
            }
        } while token != nil
        if isRefused { throw ExitCode(ExitStatus.data.rawValue) }
    }

    private static func members(of sent: SentNotification, _ verifier: SignedPayloadVerifier)
        -> [(String, JSONNode)]
    {
        let attempts = ("sendAttempts", JSONNode.array(sent.sendAttempts.map(\.node)))
        do throws(VerificationError) {
            let notification = try verifier.verifyNotification(
                compact: sent.signedPayload.utf8Span.span, nowMilliseconds: Clock.wallMilliseconds()
            ).payload.content
            let texts = [
                ("notificationType", notification.notificationType.rawValue),
                ("subtype", notification.subtype?.rawValue),
                ("notificationUUID", notification.notificationUUID),
            ]
            let date = notification.signedDate.map { [("signedDate", JSONNode.integer($0))] } ?? []
            return date + texts.compactMap { name, value in value.map { (name, .string($0)) } } + [attempts]
        } catch {
            return [("refused", .string(error.code)), attempts]
        }
    }
}

struct RecoveryOptions: ParsableArguments {
    @Option(help: "Apple's number of the app; Production needs it, or --config.")
    var app: Int64?

    @OptionGroup var trust: PayloadTrustOptions
    @OptionGroup var apple: AppleOptions

    func validate() throws {
        if let app, app <= 0 { throw ValidationError("--app must be above 0.") }
    }

    func session(_ configuration: Configuration? = nil) throws -> RecoverySession {
        let session = try apple.session()
        let (verifier, owner) = try PayloadTrust(trust, configuration).verifier(
            of: session.credentials.bundleId, in: apple.environment, appAppleId: app)
        return RecoverySession(apple: session, verifier: verifier, owner: owner)
    }
}

struct RecoverySession {
    let apple: AppleSession
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
}

extension PayloadTrust {
    fileprivate func verifier(of bundleId: String, in environment: Environment, appAppleId: Int64?) throws
        -> (SignedPayloadVerifier, PayloadOwner)
    {
        var number = appAppleId
        if hasConfiguration {
            let app = apps.first {
                $0.bundleId == bundleId && $0.environments.contains(environment)
                    && (appAppleId == nil || $0.appAppleId == appAppleId)
            }
            guard let app else {
                throw ToolError(
                    .data, code: "recovery.app-not-configured",
                    "the configuration does not name \(bundleId) in \(environment.rawValue)")
            }
            number = app.appAppleId
        }
        guard number != nil || environment != .production else {
            throw ToolError(
                .usage, code: "recovery.app-apple-id-missing",
                "notifications of Production name the app by Apple's number too; give --app or --config")
        }
        let verifier = try verifier(bundleId: bundleId, appAppleId: number ?? 0)
        let owner = try VerificationError.mapped(
            to: { ToolError(.ours, code: $0.code, "the app is unknown to its verifier") },
            try verifier.owner(appAppleId: number ?? 0, environment: environment)
        )
        return (verifier, owner)
    }
}

extension RecoveryCounts {
    var members: [(String, JSONNode)] {
        let lost = refused.merging(unstorable, uniquingKeysWith: +).sorted { $0.key < $1.key }
        return [
            ("new", .integer(Int64(newCount))), ("alreadyStored", .integer(Int64(knownCount))),
            ("erased", .integer(Int64(erasedCount))), ("calls", .integer(Int64(callCount))),
            ("notStored", .object(lost.map { ($0.key, .integer(Int64($0.value))) })),
        ]
    }
}
