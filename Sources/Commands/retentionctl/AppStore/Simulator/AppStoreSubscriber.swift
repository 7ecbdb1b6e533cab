internal import ArgumentParser

/// Plays the customers of a running simulator.
struct AppStoreSubscriber: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriber",
        abstract: "Plays a customer of a running simulator: buys, renews, accepts an offer.",
        discussion: """
            The simulator sends the App Store Server Notifications that Apple would send, to the URL of `appstore notify \
            url`. The subscriptions and their promotional offers are those of --subscription and --offer of `appstore serve`.
            """,
        subcommands: [
            AppStoreSubscriberBuy.self, AppStoreSubscriberRenew.self, AppStoreSubscriberAccept.self,
        ]
    )
}
