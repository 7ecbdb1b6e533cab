internal import AppStoreServerAPI
internal import ArgumentParser
internal import Vocabulary

/// The options of every command that calls Apple's server: the environment, the credentials, the server and the rates.
struct AppleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Production or Sandbox; there is no default.", valueName: "name"),
        completion: .list([Environment.production.rawValue, Environment.sandbox.rawValue]),
        transform: environmentOfApple
    )
    var environment: Environment

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

    @Option(
        help: ArgumentHelp(
            "The longest wait in seconds for the rate that Apple allows; 3720 if absent.",
            valueName: "seconds")
    )
    var longestWait: Int64?

    func validate() throws {
        try IdentifierOption.checkKey("--key-id", keyId)
        try IdentifierOption.checkKey("--issuer-id", issuerId)
        try IdentifierOption.check("--bundle-id", bundleId)
        if let longestWait, !(0...86_400).contains(longestWait) {
            throw ValidationError("--longest-wait must be 0 to 86400.")
        }
    }

    /// Reads an environment that Apple's server has. Xcode and LocalTesting have no server.
    static func environmentOfApple(_ name: String) throws -> Environment {
        guard let environment = Environment(rawValue: name),
            environment == .production || environment == .sandbox
        else { throw ValidationError("The environment must be Production or Sandbox.") }
        return environment
    }

    /// Returns a client with the credentials that the options, the environment variables or the profile give.
    ///
    /// - Parameter bundleId: the bundle identifier of a catalogue, which comes before all others; nil without one.
    /// - Returns: the client with what it was made of.
    /// - Throws: `apple.credentials-missing` and the errors of the key, the profile and the server's address.
    func session(bundleId: String? = nil) throws -> AppleSession {
        let settings = try AppleSettings(self, bundleId: bundleId)
        let server = try server(settings)
        var configuration = AppStoreServerClientConfiguration(server: server)
        configuration.authoritiesFile = settings.cacert
        if let longestWait { configuration.longestWaitMilliseconds = longestWait * 1000 }
        let credentials = try settings.credentials()
        let client = try AppStoreServerClient(
            configuration, credentials: credentials, timing: .system(waiting: AppleWait.show))
        return AppleSession(client: client, server: server, credentials: credentials)
    }

    /// Returns the server of the settings, whether somebody calls it or not.
    func server(_ settings: AppleSettings) throws(AppStoreServerAPIError) -> AppStoreServer {
        try InvalidArgument.mapped(
            to: AppStoreServerAPIError.invalid,
            try AppStoreServer(environment: environment, baseURL: settings.baseURL))
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
        switch wait.reason {
        case .budget:
            Console.note("\(name): the calls of this hour are used up; waiting \(span)")
        case .rateLimit:
            Console.note("\(name): Apple's server allows no more calls now; waiting \(span)")
        case .retry(let code):
            guard wait.milliseconds > quietMilliseconds else { return }
            Console.note("\(name): \(code); trying again in \(duration)")
        }
    }
}
