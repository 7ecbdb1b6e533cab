internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import Reply
internal import System

struct AppleOptions: ParsableArguments {
    @Option(
        help: "Production or Sandbox; there is no default.",
        completion: .list([Environment.production.rawValue, Environment.sandbox.rawValue]),
        transform: environmentOfApple)
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

    func session(bundleId: String? = nil) throws -> AppleSession {
        try access.session(in: environment, bundleId: bundleId)
    }
}

struct AppleAccessOptions: ParsableArguments {
    @Option(
        help: "The key of App Store Connect (.p8), or RETENTIONCTL_KEY_FILE.",
        completion: .file(extensions: ["p8"]))
    var keyFile: String?

    @Option(help: "The key's identifier, or RETENTIONCTL_KEY_ID.")
    var keyId: String?

    @Option(help: "The issuer ID above the keys, or RETENTIONCTL_ISSUER_ID.")
    var issuerId: String?

    @Option(help: "The app's bundle ID, or RETENTIONCTL_BUNDLE_ID.")
    var bundleId: String?

    @Option(help: "JSON with keyFile, keyId, issuerId, bundleId; or RETENTIONCTL_PROFILE.", completion: .json)
    var profile: String?

    @Option(help: "Another server than Apple's, or RETENTIONCTL_BASE_URL.")
    var baseUrl: String?

    @Option(help: "The authorities of the server, in PEM, or RETENTIONCTL_CACERT.", completion: .pem)
    var cacert: String?

    func validate() throws {
        try IdentifierOption.checkKey("--key-id", keyId)
        try IdentifierOption.checkKey("--issuer-id", issuerId)
        try IdentifierOption.check("--bundle-id", bundleId)
    }

    func session(in environment: Environment, bundleId: String? = nil) throws -> AppleSession {
        let settings = try AppleSettings(self, bundleId: bundleId)
        let server = try AppStoreServer(environment: environment, baseURL: settings.baseURL)
        var configuration = AppStoreServerClientConfiguration(server: server)
        configuration.authoritiesFile = settings.cacert
        let credentials = try settings.credentials()
        let client = try AppStoreServerClient(
            configuration, credentials: credentials, timing: .system(waiting: AppleSession.show))
        return AppleSession(client: client, server: server, credentials: credentials)
    }
}

struct AppleSession {
    let client: AppStoreServerClient
    let server: AppStoreServer
    let credentials: AppStoreCredentials

    var place: String { "\(credentials.bundleId) in \(server.environment.rawValue)" }

    /// Also names a server other than Apple's, whose address may come from a variable that somebody has forgotten.
    var placeToChange: String {
        server == (try? AppStoreServer(environment: server.environment))
            ? place : "\(place) at \(server.baseURL)"
    }
}

extension AppleSession {
    /// Shows a wait. One that another attempt follows soon is not worth a line.
    fileprivate static func show(_ wait: ClientTiming.Wait) {
        let (name, duration) = (wait.operation.name, DurationText.of(wait.milliseconds))
        if let code = wait.code {
            if wait.milliseconds > 1500 { Console.log("\(name): \(code); trying again in \(duration)") }
        } else {
            let end = CivilTime(milliseconds: wait.untilMilliseconds)
            Console.log("\(name): Apple allows no more calls now; waiting \(duration), until \(end)")
        }
    }
}

/// Each comes from its option, else from its environment variable, else from the profile.
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
        let profilePath = options.profile ?? Self.variable("PROFILE")
        let profile = try profilePath.map(Self.profile) ?? [:]
        keyFile = options.keyFile ?? Self.variable("KEY_FILE") ?? profile["keyFile"]
        keyId = options.keyId ?? Self.variable("KEY_ID") ?? profile["keyId"]
        issuerId = options.issuerId ?? Self.variable("ISSUER_ID") ?? profile["issuerId"]
        bundleId = catalogue ?? options.bundleId ?? Self.variable("BUNDLE_ID") ?? profile["bundleId"]
        baseURL = options.baseUrl ?? Self.variable("BASE_URL") ?? profile["baseURL"]
        cacert = options.cacert ?? Self.variable("CACERT") ?? profile["cacert"]
        files = [profilePath, keyFile, cacert].compactMap { $0 }
    }

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

    /// Reads a profile: a JSON object of strings, which others than its owner and group must not be able to use. Paths in it are
    /// relative to its directory.
    private static func profile(_ path: String) throws -> [String: String] {
        func unusable(_ message: String, hint: String? = nil) -> ToolError {
            ToolError(code: "profile.unusable", message, hint: hint, file: path)
        }
        let limits = JSONLimits(byteCount: 64 << 10, depth: 4)
        let text = try ToolError.about(path) {
            let file = try FileDescriptor.openForReading(path: path)
            guard try FileStatus(of: file).permissions & 0o007 == 0 else {
                throw unusable("others may use it; chmod o= \(path)")
            }
            return try file.readAll(limitBytes: limits.byteCount)
        }
        let document = try ToolError.about(path) { try JSONDocument(parsing: text.span, limits: limits) }
        guard document.root.kind == .object else { throw unusable("not a JSON object") }
        let names = ["keyFile", "keyId", "issuerId", "bundleId", "baseURL", "cacert"]
        var values: [String: String] = [:]
        for (name, value) in document.root.members {
            guard names.contains(name), let text = value.string else {
                throw unusable(
                    "\"\(name)\" is unknown or not a string", hint: Hint.choice(name, among: names))
            }
            let isPath = (name == "keyFile" || name == "cacert") && !text.hasPrefix("/")
            values[name] = isPath ? "\(AtomicFile.split(path).directory)/\(text)" : text
        }
        return values
    }
}
