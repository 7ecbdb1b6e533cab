internal import ArgumentParser

/// Plays the App Store server with a test authority that the user makes.
struct AppStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appstore",
        abstract: "Plays the App Store server: sends signed requests, and answers Apple's API.",
        discussion: """
            A test authority signs the requests. The service under test must trust it: in retentiond.json, list the \
            authority's root.pem in `anchors` of the app, and give the app the environment LocalTesting.

            Examples:
              retentionctl appstore init ./authority
              retentionctl appstore request --authority ./authority \\
                --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem \\
                --app 531412 --product com.example.product
            """,
        subcommands: [
            AppStoreInit.self, AppStoreSign.self, AppStoreRequest.self, AppStorePerformanceTest.self,
            AppStoreServe.self, AppStoreReview.self, AppStoreNotify.self,
            AppStoreSubscriber.self,
        ]
    )
}

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
