internal import ArgumentParser
internal import Catalogue
internal import CommandLineTool
internal import JSON
internal import System

struct Init: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes first rules and a first catalogue, which pass check.",
        discussion: """
            rules.json answers every request with the one message of catalogue.json. The catalogue's namespace is made \
            once, at random: every identifier of a message depends on it, so it never changes. Files that are there \
            already are never overwritten.

            Example:
              retentionctl init --app 6745974591 \\
                --bundle-id com.example.app --environment Sandbox
            """
    )

    @Argument(help: "The directory in which the files are written.", completion: .directory)
    var directory = "."

    @Option(help: "The number of the app in the App Store.")
    var app: Int64

    @Option(help: "The bundle identifier of the app.")
    var bundleId: String

    @Option(help: "The environment of the rules.")
    var environment: Environment

    @Option(help: "The locale of the message.")
    var locale = "en-US"

    @Option(help: "A product of the app. May be repeated.")
    var product: [String] = []

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard environment != .xcode else { throw ValidationError("No service takes requests of Xcode.") }
    }

    func run() throws {
        let catalogue = Catalogue.new(
            appAppleId: app, bundleId: bundleId, namespace: UUID.random(), locales: [locale],
            products: product, hasMessage: true)
        let text = catalogue.serialized(pretty: true) + [UInt8(ascii: "\n")]
        // A wrong option would make a file that nothing reads.
        let checked = CheckedCatalogue(text, images: ImageFiles(folder: directory, decodesAll: false))
        let errors = checked.findings.filter { $0.severity == .error }
        // Nobody sees the lines of a text that was not written.
        guard errors.isEmpty else {
            throw ToolError(errors.map { Finding(code: $0.code, $0.message, hint: $0.hint) })
        }
        let paths = ["rules.json", "catalogue.json"].map { directory == "." ? $0 : "\(directory)/\($0)" }
        for path in paths where (try? FileStatus(path: path)) != nil {
            throw ToolError(
                code: "file.exists", "the file is there already, and is not overwritten", file: path)
        }
        if (try? FileStatus(path: directory)) == nil {
            try ToolError.about(directory) { try Directory.make(path: directory, permissions: 0o755) }
        }
        let texts = [rules.serialized(pretty: true) + [UInt8(ascii: "\n")], text]
        for (path, text) in zip(paths, texts) { try Output.write(text, to: path) }
        let next = "retentionctl check \(paths[0]) --catalogue \(paths[1])"
        let members: [(String, JSONNode)] = [
            ("rules", .string(paths[0])), ("catalogue", .string(paths[1])), ("next", .string(next)),
        ]
        Report(members, title: "written").print(json: output.json)
    }

    private var rules: JSONNode {
        let owner: [(String, JSONNode)] = [("appAppleId", .integer(app)), ("bundleId", .string(bundleId))]
        let given: [(String, JSONNode)] = [
            ("productId", .string(product.first ?? "pro_monthly")), ("userLocale", .string(locale)),
            ("originalTransactionId", .string("2000000001")), ("now", .string("2026-11-21T00:00:00Z")),
        ]
        let test: [(String, JSONNode)] = [
            ("name", .string("everyone gets the reminder")), ("given", .object(given)),
            (
                "expect",
                .object([("default", .boolean(true)), ("message", .string(Self.message))])
            ),
        ]
        let answer = JSONNode.object([("message", .string(Self.message))])
        return .object([
            ("format", .integer(1)), ("app", .object(owner)),
            ("environment", .string(environment.rawValue)),
            ("locales", .object([("last", .string(locale))])),
            ("products", .object(product.map { ($0, .object([])) })), ("rules", .array([])),
            ("default", .object([("serve", answer)])), ("tests", .array([.object(test)])),
        ])
    }

    private static let message = "value_reminder"
}
