internal import ArgumentParser
internal import CommandLineTool
package import HTTPClient
internal import System

@main
struct AppStoreSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appstore-simulator",
        abstract:
            "Plays the App Store server: sends signed requests and notifications, and answers Apple's API.",
        discussion: """
            A test authority signs the requests. The service under test must trust it: in retentiond.json, list the \
            authority's root.pem in `anchors` of the app, and give the app the environment LocalTesting.

            Examples:
              appstore-simulator init ./authority
              appstore-simulator request --authority ./authority \\
                --url https://localhost:8443/retention-message \\
                --cacert ./authority/tls-authority.pem \\
                --app 531412 --product com.example.product
            """,
        version: "appstore-simulator \(ProductVersion.text)",
        subcommands: [
            Init.self, Request.self, PerformanceTestCommand.self, Serve.self, Review.self, Notify.self,
            Subscriber.self,
        ]
    )

    static func main() { runTool() }
}

extension HTTPClientConfiguration.ProtocolVersion: ExpressibleByArgument {}
