internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import JSON
internal import System

/// Writes what a pool needs to start: a configuration and first rules.
struct SetupCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Writes the first configuration and rules of a pool, and says what to do next.",
        discussion: """
            On a terminal it asks for what the options do not say. The rules serve nothing, so Apple's default message is \
            shown until you publish others. Files that are there already are never overwritten.

            With --test it makes a pool that no customer reaches: a test authority in place of Apple's, made by \
            appstore-simulator, the environment LocalTesting alone, and rules with a message. `retentionctl doctor` then \
            sends a signed request, too. Where there is no configuration yet, retentiond.json becomes a link to this one; \
            `setup` without --test takes the link away again.

            Example:
              retentionctl setup --app 6745974591 --bundle-id com.example.app
            """
    )

    @Option(help: ArgumentHelp("The number of the app in the App Store.", valueName: "appAppleId"))
    var app: Int64?

    @Option(help: ArgumentHelp("The bundle identifier of the app.", valueName: "bundleId"))
    var bundleId: String?

    @Option(
        help: ArgumentHelp(
            "An environment that is served. May be repeated; without it, Production and Sandbox.",
            valueName: "name"))
    var environment: [Environment] = []

    @Option(
        help: ArgumentHelp("The In-App Purchase key that signs offers, in PEM.", valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var keyFile: String?

    @Option(help: ArgumentHelp("Its identifier in App Store Connect.", valueName: "id"))
    var keyId: String?

    @Option(help: ArgumentHelp("The issuer of the keys, from App Store Connect.", valueName: "uuid"))
    var issuerId: String?

    @Flag(help: "Make a pool for tests beside it, which trusts a test authority alone.")
    var test = false

    @Option(
        help: ArgumentHelp("Where the configuration is written.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config = "/etc/retentiond/retentiond.json"

    @Option(help: ArgumentHelp("The directory in which the rules are written.", valueName: "dir"))
    var directory = "."

    @OptionGroup var output: OutputOptions

    func validate() throws {
        for environment in environment where environment != .production && environment != .sandbox {
            throw ValidationError(
                "--environment is Production or Sandbox; --test makes a pool for LocalTesting.")
        }
        guard !test || (environment.isEmpty && keyFile == nil) else {
            throw ValidationError("--test goes without --environment and --key-file.")
        }
        guard (keyFile == nil) == (keyId == nil), (keyFile == nil) == (issuerId == nil) else {
            throw ValidationError("--key-file, --key-id and --issuer-id belong together.")
        }
        try IdentifierOption.check("--bundle-id", bundleId)
        try IdentifierOption.checkKey("--key-id", keyId)
        try IdentifierOption.checkKey("--issuer-id", issuerId)
    }

    func run() throws {
        let asks = app == nil || bundleId == nil
        let owner = SetupApp(
            appAppleId: try app ?? number(of: "The number of the app in the App Store (appAppleId)", "--app"),
            bundleId: try bundleId ?? text(of: "Its bundle identifier", "--bundle-id"))
        let files =
            test
            ? SetupFiles(testing: owner, config: config, directory: directory)
            : SetupFiles(
                owner, try environments(asks), key: try key(asks), config: config, directory: directory)
        try files.write()
        let next = files.next
        guard !output.json else {
            return Console.print(
                .object([
                    ("files", .array(files.paths.map { .string($0) })),
                    ("next", .array(next.map { .string($0) })),
                ]))
        }
        Console.print(lines: ["written"] + files.paths.map { "  \($0)" } + ["next"] + next.map { "  \($0)" })
    }

    private func environments(_ asks: Bool) throws -> [Environment] {
        let usual: [Environment] = [.production, .sandbox]
        guard environment.isEmpty, asks else { return environment.isEmpty ? usual : environment }
        guard let answer = Console.answer(to: "Environments [Production Sandbox]"), !answer.isEmpty else {
            return usual
        }
        let found = answer.split(separator: " ").map { Environment(rawValue: String($0)) }
        guard let environments = found as? [Environment], environments.allSatisfy(usual.contains) else {
            throw ToolError(
                .usage, code: "setup.unanswered", "an environment is Production or Sandbox",
                hint: "--environment")
        }
        return environments
    }

    private func key(_ asks: Bool) throws -> SetupKey? {
        if let keyFile, let keyId, let issuerId {
            return SetupKey(file: keyFile, keyId: keyId, issuerId: issuerId)
        }
        guard asks,
            let file = Console.answer(to: "The key that signs offers, a .p8 file [none]"), !file.isEmpty
        else { return nil }
        return SetupKey(
            file: file, keyId: try text(of: "Its key ID", "--key-id"),
            issuerId: try text(of: "Its issuer ID", "--issuer-id"))
    }

    private func text(of question: String, _ option: String) throws -> String {
        guard let answer = Console.answer(to: question), !answer.isEmpty else {
            throw ToolError(.usage, code: "setup.unanswered", "\(question) is not given", hint: option)
        }
        return answer
    }

    private func number(of question: String, _ option: String) throws -> Int64 {
        guard let number = try Int64(text(of: question, option)), number > 0 else {
            throw ToolError(.usage, code: "setup.unanswered", "appAppleId is a number above 0", hint: option)
        }
        return number
    }
}
