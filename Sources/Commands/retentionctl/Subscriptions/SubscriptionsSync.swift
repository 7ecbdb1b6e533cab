internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import Recovery
internal import SignedPayloads
internal import System
internal import Vocabulary

/// Brings the statuses and the transaction history of subscribers into the store.
struct SubscriptionsSync: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract:
            "Brings the statuses and all transactions of subscribers from Apple's server into the store.",
        discussion: """
            For each identifier, calls Get All Subscription Statuses and reads Get Transaction History to its end. Every \
            transaction and renewal info is verified and stored with the source `api`. Apple's server signs them anew for \
            each call, so another run adds copies with a later date. --stale takes the subscribers of the store about whom \
            nothing came for that many days.

            The command ends with 65 when something could not be verified or stored, and with 1 when Apple's server does \
            not know a subscriber. After an interruption, start the same command again: with --stale it goes on \
            with those that are left, with --ids it begins at the first line, so give it a file with the rest. The app of the credentials must be \
            one of --config, if that is given. The store is made when there is none.

            Example:
              retentionctl subscriptions sync --ids subscribers.txt \\
                --environment Sandbox --profile apple.json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(
        help: ArgumentHelp(
            "A file with an identifier of a transaction of each subscriber on a line; - for standard input.",
            valueName: "file"
        )
    )
    var ids: String?

    @Option(
        help: ArgumentHelp(
            "The subscribers about whom nothing came for this many days, 0 to 3650.",
            valueName: "days"
        )
    )
    var stale: Int64?

    @OptionGroup var options: RecoveryOptions
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    /// The longest line with an identifier, in bytes.
    private static let lineByteCount = 256

    func validate() throws {
        guard (ids == nil) != (stale == nil) else { throw ValidationError("Give --ids or --stale.") }
        if let stale, !(0...3650).contains(stale) { throw ValidationError("--stale must be 0 to 3650.") }
    }

    func run() throws {
        let configuration = try selection.configuration()
        let address = try selection.address()
        let session = try options.session(configuration)
        let listed = try ids.map { try Self.identifiers(in: $0) }
        let store = try StoreSelection.open(address, .create)
        let identifiers = try listed ?? staleSubscribers(in: store, session.owner)
        let sync = SubscriptionSync(
            api: session.apple.client,
            store: store,
            verifier: session.verifier,
            owner: session.owner,
            now: Clock.wallMilliseconds
        )
        var count = 0
        let report = try RecoveryError.mapped(
            to: { ToolFailure($0, file: $0.isOfStore ? address.description : nil) },
            try sync.run(identifiers) { report in
                count += 1
                Console.progress(
                    "\(count) of \(identifiers.count) subscribers: \(report.counts.newCount) new"
                )
            }
        )
        Console.endProgress()
        show(report, session)
        if report.counts.lostCount > 0 { throw ExitCode(ExitStatus.badData.rawValue) }
        if !report.refusedSubscribers.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func staleSubscribers(
        in store: NotificationStore,
        _ owner: PayloadOwner
    ) throws -> [String] {
        try store.staleSubscribers(
            app: owner.bundleId,
            environment: owner.environment.rawValue,
            before: Clock.wallMilliseconds() - (stale ?? 0) * 86_400_000
        )
    }

    /// Reads the identifiers of a file, each once, in their order.
    private static func identifiers(in file: String) throws -> [String] {
        var found: [String] = []
        var seen: Set<String> = []
        try InputLines.forEach(in: file, lineLimitBytes: lineByteCount) { _, line throws(ToolFailure) in
            let word = String(decoding: Whitespace.trimmed(line), as: UTF8.self)
            if !word.isEmpty, seen.insert(word).inserted { found.append(word) }
        }
        return found
    }

    private func show(_ report: SubscriptionSync.Report, _ session: RecoverySession) {
        let refused = report.refusedSubscribers.sorted { $0.key < $1.key }
        if output.json {
            let members: [(String, JSONNode)] = [
                ("app", .string(session.owner.bundleId)),
                ("environment", .string(session.owner.environment.rawValue)),
                ("subscribers", .integer(Int64(report.doneCount))),
                ("refusedSubscribers", .object(refused.map { ($0.key, .integer(Int64($0.value))) })),
            ]
            Console.print(.object(members + report.counts.members))
        } else {
            Console.print(lines: ["\(session.apple.place):", "subscribers: \(report.doneCount)"])
            Console.print(lines: refused.map { "subscribers refused, \($0.key): \($0.value)" })
            Console.print(lines: report.counts.lines)
        }
    }
}
