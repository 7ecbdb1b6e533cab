internal import ArgumentParser

/// Works with the subscriptions of customers.
struct Subscriptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Brings subscriptions from Apple's server into the store, and shows their stories.",
        discussion: """
            Example:
              retentionctl subscriptions sync --stale 30 \\
                --environment Production --profile apple.json \\
                --config /etc/retentiond/retentiond.json
            """,
        subcommands: [SubscriptionsSync.self, SubscriptionsShow.self]
    )
}
