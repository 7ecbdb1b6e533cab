internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
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

/// Makes a test authority: the certificates and keys with which the program signs as Apple would.
struct Init: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a test certificate authority like Apple's.",
        discussion: """
            Writes root.pem (the anchor to configure), intermediate.pem, leaf.pem and their keys. For the web server \
            in front of the service it writes tls-server.pem and tls-server.key (for localhost and 127.0.0.1), and \
            tls-authority.pem (for --cacert). api-key.p8 is a key as App Store Connect gives one for Apple's API: \
            --key of `serve`, --key-file of retentionctl. Only their owner can read the keys. The command never overwrites an \
            existing authority.

            Example:
              appstore-simulator init ./authority
            """
    )

    @Argument(help: "The directory to write to.", completion: .directory)
    var directory: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        try TestAuthority.create(in: directory, nowMilliseconds: Clock.wallMilliseconds())
        let files = TestAuthority.File.allCases.map { TestAuthority.path($0, directory) }
        if output.json {
            Console.print(.object([("files", .array(files.map { .string($0) }))]))
        } else {
            Console.print(lines: files)
        }
    }
}
