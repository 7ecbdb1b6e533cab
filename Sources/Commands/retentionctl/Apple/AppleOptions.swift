internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import Reply
internal import System

/// The options of every command that calls Apple's server: the environment, and how it is reached.
struct AppleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Production or Sandbox; there is no default.", valueName: "name"),
        completion: .list([Environment.production.rawValue, Environment.sandbox.rawValue]),
        transform: environmentOfApple
    )
    var environment: Environment

    @OptionGroup var access: AppleAccessOptions

    var bundleId: String? { access.bundleId }

    /// Reads an environment that Apple's server has. Xcode and LocalTesting have no server.
    static func environmentOfApple(_ name: String) throws -> Environment {
        guard let environment = Environment(rawValue: name),
            environment == .production || environment == .sandbox
        else { throw ValidationError("The environment must be Production or Sandbox.") }
        return environment
    }

    /// Returns a client for the environment, see ``AppleAccessOptions/session(in:bundleId:)``.
    func session(bundleId: String? = nil) throws -> AppleSession {
        try access.session(in: environment, bundleId: bundleId)
    }
}

/// The options of Apple's server but the environment: the credentials, the server and the rates.
struct AppleAccessOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The In-App Purchase key of App Store Connect, or RETENTIONCTL_KEY_FILE.", valueName: "file"),
        completion: .file(extensions: ["p8"])
    )
    var keyFile: String?

    @Option(help: ArgumentHelp("The key's identifier, or RETENTIONCTL_KEY_ID.", valueName: "id"))
    var keyId: String?

    @Option(help: ArgumentHelp("The issuer ID above the keys, or RETENTIONCTL_ISSUER_ID.", valueName: "id"))
    var issuerId: String?

    @Option(help: ArgumentHelp("The app's bundle ID, or RETENTIONCTL_BUNDLE_ID.", valueName: "id"))
    var bundleId: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with keyFile, keyId, issuerId and bundleId, or RETENTIONCTL_PROFILE.",
            valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Another server than Apple's, such as a simulator, or RETENTIONCTL_BASE_URL.", valueName: "url")
    )
    var baseUrl: String?

    @Option(
        help: ArgumentHelp(
            "The authorities the server's certificate may come from, in PEM, or RETENTIONCTL_CACERT.",
            valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var cacert: String?

    func validate() throws {
        try IdentifierOption.checkKey("--key-id", keyId)
        try IdentifierOption.checkKey("--issuer-id", issuerId)
        try IdentifierOption.check("--bundle-id", bundleId)
    }

    /// Returns a client with the credentials that the options, the environment variables or the profile give.
    ///
    /// - Throws: `apple.credentials-missing` and the errors of the key, the profile and the server's address.
    func session(in environment: Environment, bundleId: String? = nil) throws -> AppleSession {
        let settings = try AppleSettings(self, bundleId: bundleId)
        let server = try AppStoreServer(environment: environment, baseURL: settings.baseURL)
        var configuration = AppStoreServerClientConfiguration(server: server)
        configuration.authoritiesFile = settings.cacert
        let credentials = try settings.credentials()
        let client = try AppStoreServerClient(
            configuration, credentials: credentials, timing: .system(waiting: AppleWait.show))
        return AppleSession(client: client, server: server, credentials: credentials)
    }
}

/// A client with what it was made of, for messages.
struct AppleSession {
    let client: AppStoreServerClient
    let server: AppStoreServer
    let credentials: AppStoreCredentials

    /// The app and the environment, as in `com.example.app in Sandbox`.
    var place: String { "\(credentials.bundleId) in \(server.environment.rawValue)" }

    /// The place for a question. It also names a server other than Apple's, whose address may come from a variable that
    /// somebody has forgotten.
    var placeToChange: String {
        server == (try? AppStoreServer(environment: server.environment))
            ? place : "\(place) at \(server.baseURL)"
    }
}

/// Tells the user of waits.
enum AppleWait {
    /// The shortest wait that is told when another attempt follows.
    private static let quietMilliseconds: Int64 = 1500

    /// Writes a line about a wait to standard error.
    static func show(_ wait: ClientTiming.Wait) {
        let name = wait.operation.name
        let duration = DurationText.of(wait.milliseconds)
        let span = "\(duration), until \(CivilTime(milliseconds: wait.untilMilliseconds))"
        if wait.code == nil {
            Console.note("\(name): Apple allows no more calls now; waiting \(span)")
        } else if let code = wait.code, wait.milliseconds > quietMilliseconds {
            Console.note("\(name): \(code); trying again in \(duration)")
        }
    }
}

/// The settings for Apple's server. Each comes from its option, else from its environment variable, else from the
/// profile.
struct AppleSettings {
    private(set) var keyFile: String?
    private(set) var keyId: String?
    private(set) var issuerId: String?
    private(set) var bundleId: String?
    private(set) var baseURL: String?
    private(set) var cacert: String?
    private(set) var files: [String] = []

    /// Collects the settings. The bundle identifier of a catalogue, when there is one, comes before all others.
    init(_ options: AppleAccessOptions, bundleId catalogue: String? = nil) throws {
        var profile = AppleProfile()
        let profilePath = options.profile ?? Self.variable("PROFILE")
        if let profilePath { profile = try AppleProfile(path: profilePath) }
        keyFile = options.keyFile ?? Self.variable("KEY_FILE") ?? profile.values["keyFile"]
        keyId = options.keyId ?? Self.variable("KEY_ID") ?? profile.values["keyId"]
        issuerId = options.issuerId ?? Self.variable("ISSUER_ID") ?? profile.values["issuerId"]
        bundleId = catalogue ?? options.bundleId ?? Self.variable("BUNDLE_ID") ?? profile.values["bundleId"]
        baseURL = options.baseUrl ?? Self.variable("BASE_URL") ?? profile.values["baseURL"]
        cacert = options.cacert ?? Self.variable("CACERT") ?? profile.values["cacert"]
        files = [profilePath, keyFile, cacert].compactMap { $0 }
    }

    /// Returns the value of `RETENTIONCTL_` and `name`; nil when it is not set or empty.
    static func variable(_ name: String) -> String? {
        ProcessEnvironment.value(of: "RETENTIONCTL_\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }

    func credentials() throws -> AppStoreCredentials {
        let named = [
            ("--key-file", keyFile), ("--key-id", keyId), ("--issuer-id", issuerId),
            ("--bundle-id", bundleId),
        ]
        let missing = named.filter { $0.1?.isEmpty ?? true }.map(\.0)
        guard missing.isEmpty, let keyFile, let keyId, let issuerId, let bundleId else {
            throw ToolError(
                .usage, code: "apple.credentials-missing", "no value for \(missing.joined(separator: ", "))",
                hint: "give the options, environment variables such as RETENTIONCTL_KEY_ID, or a --profile")
        }
        let key = try ToolError.about(keyFile) { try SigningKeyFile.key(path: keyFile) }
        return AppStoreCredentials(
            key: key, keyId: keyId, issuerId: issuerId, bundleId: bundleId)
    }
}

/// A file with settings for Apple's server: a JSON object of strings.
struct AppleProfile {
    private(set) var values: [String: String] = [:]

    private static let names = ["keyFile", "keyId", "issuerId", "bundleId", "baseURL", "cacert"]
    private static let byteLimit = 64 << 10

    init() {}

    /// Reads a profile, which others than its owner and group must not be able to use. Paths in it are relative to its
    /// directory.
    init(path: String) throws {
        let text = try Self.text(path)
        let limits = JSONLimits(byteCount: Self.byteLimit, depth: 4)
        let document = try ToolError.about(path) { try JSONDocument(parsing: text.span, limits: limits) }
        for (name, value) in document.root.members {
            guard Self.names.contains(name), let string = value.string else {
                throw Self.malformed("\"\(name)\" is unknown or not a string", path, name)
            }
            let isPath = name == "keyFile" || name == "cacert"
            let folder = AtomicFile.split(path).directory
            values[name] = isPath && !string.hasPrefix("/") ? "\(folder)/\(string)" : string
        }
        guard document.root.kind == .object else { throw Self.malformed("not a JSON object", path, "") }
    }

    private static func text(_ path: String) throws -> [UInt8] {
        try ToolError.about(path) {
            let file = try FileDescriptor.openForReading(path: path)
            guard try FileStatus(of: file).permissions & 0o007 == 0 else {
                throw ToolError(
                    code: "profile.unusable", "others may use it; chmod o= \(path)", file: path)
            }
            return try file.readAll(limitBytes: byteLimit)
        }
    }

    private static func malformed(_ message: String, _ path: String, _ name: String) -> ToolError {
        ToolError(
            code: "profile.unusable", message, hint: Hint.choice(name, among: names), file: path)
    }
}
