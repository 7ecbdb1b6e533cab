internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import SubscriberHistory
internal import System
internal import Vocabulary

/// Shows the story of one subscriber and the facts that follow from it.
struct SubscriptionsShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the story of one subscriber, and the facts that follow from it.",
        discussion: """
            The story has what came from Apple in the order in which Apple signed it, and the facts that each event changed. \
            Then come all facts as of --now: the value and the payloads it follows from, or why the fact is missing. A payload is \
            named as in the store: a notification by its notificationUUID, a transaction or a renewal info by the SHA-256 \
            digest of its JWS. Of a subscriber with thousands of payloads, only the last events have the facts that they changed.

            Ends with 1 if the store has nothing about the subscriber.

            Example:
              retentionctl subscriptions show 2000000001 \\
                --app com.example.app --environment Production \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Argument(help: "originalTransactionId of the subscription.")
    var originalTransactionId: String

    @Option(help: ArgumentHelp("The bundle ID of the app.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("Production or Sandbox.", valueName: "name"))
    var environment: Environment

    @Option(
        help: ArgumentHelp(
            "The time for which the facts hold: RFC 3339 or milliseconds since 1970; now if absent.",
            valueName: "time")
    )
    var now: TimeArgument?

    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [.production, .sandbox].contains(environment) else {
            throw ValidationError("Notifications come from Production and Sandbox.")
        }
    }

    func run() throws {
        let store = try selection.open(.read)
        let time = now?.milliseconds ?? Clock.wallMilliseconds()
        let payloads = try NotificationStoreError.mapped(
            to: { ToolFailure($0, file: store.address.description) },
            try StoredHistories(store, app: app, environment: environment.rawValue)
                .payloads(of: originalTransactionId)
        )
        guard let payloads else {
            if output.json {
                Console.print(.null)
            } else {
                Console.print("nothing is known of the subscriber")
            }
            throw ExitCode(ExitStatus.no.rawValue)
        }
        let story = SubscriberStory(payloads, SubscriberTimeline(payloads, now: time), now: time)
        if output.json {
            Console.print(pretty: story.node)
        } else {
            Console.print(lines: story.lines)
        }
    }
}
