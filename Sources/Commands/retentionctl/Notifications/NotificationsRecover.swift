internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import Recovery
internal import SignedPayloads
internal import System
internal import Vocabulary

/// Brings notifications from Apple's history into the store.
struct NotificationsRecover: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Brings notifications that the store may miss from Apple's history into it.",
        discussion: """
            Finds in the store which ranges of time no earlier run has read to the end, and reads them page by page from \
            Get Notification History: 180 days in Production, 30 days in Sandbox. The ranges that are read overlap on \
            purpose. Every notification is verified, and one that is in the store is not stored again. The recorder may \
            run at the same time.

            A run that was interrupted or killed goes on where it was when the same command is started again. \
            --only-failures reads only what Apple has not delivered yet, which is less; Apple may still send it again, \
            and the range does not count as read.

            The report says how many notifications were new. The command ends with 65 when one could not be verified or \
            stored; its range is read again by the next run. The app of the credentials must be one of --config, if that \
            is given. The store is made when there is none.

            Example:
              retentionctl notifications recover --environment Production \\
                --profile apple.json --config /etc/retentiond/retentiond.json
            """
    )

    @Option(
        help: ArgumentHelp(
            "Look at the time from here: RFC 3339, or milliseconds since 1970; all of Apple's history if absent.",
            valueName: "time")
    )
    var from: TimeArgument?

    @Option(help: ArgumentHelp("Look at the time before this; the present if absent.", valueName: "time"))
    var to: TimeArgument?

    @Flag(help: "Only notifications that Apple has not delivered.")
    var onlyFailures = false

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
        let address = try selection.address()
        let session = try options.session(configuration)
        let store = try StoreSelection.open(address, .create)
        let recovery = NotificationRecovery(
            api: session.apple.client, store: store, verifier: session.verifier, owner: session.owner,
            now: Clock.wallMilliseconds)
        let range = TimeRange(from: from?.milliseconds ?? 0, to: to?.milliseconds ?? .max)
        let counts = try RecoveryError.mapped(
            to: { ToolFailure($0, file: $0.isOfStore ? address.description : nil) },
            try recovery.run(range, onlyFailures: onlyFailures) { counts, time in
                Console.progress("up to \(CivilTime(milliseconds: time)): \(counts.newCount) new")
            }
        )
        Console.endProgress()
        if output.json {
            let environment = session.owner.environment.rawValue
            let place: [(String, JSONNode)] = [
                ("app", .string(session.owner.bundleId)), ("environment", .string(environment)),
            ]
            Console.print(.object(place + counts.members))
        } else {
            Console.print("\(session.apple.place):")
            Console.print(lines: counts.lines)
        }
        if counts.lostCount > 0 { throw ExitCode(ExitStatus.badData.rawValue) }
    }
}

extension RecoveryError {
    /// True when the store failed, and not Apple's server.
    var isOfStore: Bool {
        if case .store = self { true } else { false }
    }
}
