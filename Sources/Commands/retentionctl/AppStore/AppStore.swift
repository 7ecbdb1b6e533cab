internal import ArgumentParser

/// Plays the App Store server with a test authority that the user makes.
struct AppStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appstore",
        abstract: "Plays the App Store server: signs requests, sends them, measures the answers.",
        discussion: """
            The requests are signed by a test authority, which the service under test has to trust: name its root.pem \
            in `anchors` of the app in retentiond.json, and let the app have the environment LocalTesting.

            Example:
              retentionctl appstore init ./authority
              retentionctl appstore request --authority ./authority --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem --app 531412 --product com.example.product
            """,
        subcommands: [
            AppStoreInit.self, AppStoreSign.self, AppStoreRequest.self, AppStorePerformanceTest.self,
        ]
    )
}
