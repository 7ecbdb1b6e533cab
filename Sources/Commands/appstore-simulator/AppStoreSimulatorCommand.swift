internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import Foundation
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
            authority's root.pem in `anchors` of the app, and give the app the environment LocalTesting. Rules of \
            LocalTesting name the messages of Sandbox, so upload them to the simulator's Sandbox.

            Examples:
              appstore-simulator init ./authority --app 531412 --bundle-id com.example.app
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

            With --app and --bundle-id it also writes retentiond.json: a pool and a recorder on loopback which trust this \
            authority for LocalTesting, and sign offers with api-key.p8.

            Example, up to a pool that loads what `retentionctl publish --host local` brings:
              appstore-simulator init ./authority --app 6745974591 --bundle-id com.example.app
              retentiond --config ./authority/retentiond.json
            """
    )

    @Argument(help: "The directory to write to.", completion: .directory)
    var directory: String

    @Option(help: "The number of the app that retentiond.json is for.")
    var app: Int64?

    @Option(help: "Its bundle identifier.")
    var bundleId: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (app == nil) == (bundleId == nil) else { throw ValidationError("--app needs --bundle-id.") }
    }

    func run() throws {
        try TestAuthority.create(in: directory, nowMilliseconds: Clock.wallMilliseconds())
        var files = TestAuthority.File.allCases.map { TestAuthority.path($0, directory) }
        if let app, let bundleId { files.append(try writeConfiguration(app, bundleId)) }
        output.print(json: .object([("files", .array(files.map { .string($0) }))]), lines: files)
    }

    /// The key and its issuer in the examples; the simulator takes any.
    private static let key = (id: "2X9R4HXF34", issuer: "57246542-96fe-1a63-e053-0824d011072a")

    private func writeConfiguration(_ app: Int64, _ bundleId: String) throws -> String {
        let folder = URL(filePath: directory).standardizedFileURL.path
        for name in ["data", "state", "store"] {
            try Directory.make(path: "\(folder)/\(name)", permissions: 0o700)
        }
        let key = ["keyId": Self.key.id, "issuerId": Self.key.issuer, "file": "\(folder)/api-key.p8"]
        let served: [String: Any] = [
            "appAppleId": app, "bundleId": bundleId, "environments": ["LocalTesting"],
            "anchors": ["\(folder)/root.pem"], "signingKeys": [key],
        ]
        let configuration: [String: Any] = [
            "apps": [served], "listen": "127.0.0.1:9797", "dataDirectory": "\(folder)/data",
            "stateDirectory": "\(folder)/state", "pidFile": "\(folder)/retentiond.pid",
            "notifications": [
                "listen": "127.0.0.1:9798", "pidFile": "\(folder)/recorder.pid",
                "store": "sqlite:\(folder)/store/notifications.db",
            ],
        ]
        let path = "\(directory)/retentiond.json"
        let text =
            Array(
                try JSONSerialization.data(
                    withJSONObject: configuration,
                    options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            ) + [UInt8(ascii: "\n")]
        try ToolError.about(path) { try AtomicFile.write(text.span, to: path, permissions: 0o600) }
        return path
    }
}
