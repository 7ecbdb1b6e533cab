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

    @Option(help: ArgumentHelp("The number of the app that retentiond.json is for.", valueName: "appAppleId"))
    var app: Int64?

    @Option(help: ArgumentHelp("Its bundle identifier.", valueName: "bundleId"))
    var bundleId: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (app == nil) == (bundleId == nil) else { throw ValidationError("--app needs --bundle-id.") }
    }

    func run() throws {
        try TestAuthority.create(in: directory, nowMilliseconds: Clock.wallMilliseconds())
        var files = TestAuthority.File.allCases.map { TestAuthority.path($0, directory) }
        if let app, let bundleId { files.append(try writeConfiguration(app, bundleId)) }
        if output.json {
            Console.print(.object([("files", .array(files.map { .string($0) }))]))
        } else {
            Console.print(lines: files)
        }
    }

    /// The key and its issuer in the examples; the simulator takes any.
    private static let key = (id: "2X9R4HXF34", issuer: "57246542-96fe-1a63-e053-0824d011072a")

    private func writeConfiguration(_ app: Int64, _ bundleId: String) throws -> String {
        let folder = URL(filePath: directory).standardizedFileURL.path
        func place(_ name: String) -> JSONNode { .string("\(folder)/\(name)") }
        for name in ["data", "state", "store"] {
            try Directory.make(path: "\(folder)/\(name)", permissions: 0o700)
        }
        let key = JSONNode.object([
            ("keyId", .string(Self.key.id)), ("issuerId", .string(Self.key.issuer)),
            ("file", place("api-key.p8")),
        ])
        let configuration = JSONNode.object([
            ("listen", .string("127.0.0.1:9797")), ("dataDirectory", place("data")),
            ("stateDirectory", place("state")), ("pidFile", place("retentiond.pid")),
            (
                "apps",
                .array([
                    .object([
                        ("appAppleId", .integer(app)), ("bundleId", .string(bundleId)),
                        ("environments", .array([.string("LocalTesting")])),
                        ("anchors", .array([place("root.pem")])), ("signingKeys", .array([key])),
                    ])
                ])
            ),
            (
                "notifications",
                .object([
                    ("listen", .string("127.0.0.1:9798")), ("pidFile", place("recorder.pid")),
                    ("store", .string("sqlite:\(folder)/store/notifications.db")),
                ])
            ),
        ])
        let path = "\(directory)/retentiond.json"
        let text = configuration.serialized(pretty: true) + [UInt8(ascii: "\n")]
        try ToolError.about(path) { try AtomicFile.write(text.span, to: path, permissions: 0o600) }
        return path
    }
}
