internal import AppStoreServerAPI
internal import JSON
internal import System
internal import Vocabulary

/// The settings for Apple's server. Each comes from its option, else from its environment variable, else from the
/// profile.
struct AppleSettings {
    private(set) var keyFile: String?
    private(set) var keyId: String?
    private(set) var issuerId: String?
    private(set) var bundleId: String?
    private(set) var baseURL: String?
    private(set) var cacert: String?
    /// The profile and the files that the settings name.
    private(set) var files: [String] = []

    /// Collects the settings. The bundle identifier of a catalogue, when there is one, comes before all others.
    init(_ options: AppleOptions, bundleId catalogue: String? = nil) throws(ToolFailure) {
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
    private static func variable(_ name: String) -> String? {
        ProcessEnvironment.value(of: "RETENTIONCTL_\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads the key.
    func credentials() throws(ToolFailure) -> AppStoreCredentials {
        let named = [
            ("--key-file", keyFile), ("--key-id", keyId), ("--issuer-id", issuerId),
            ("--bundle-id", bundleId),
        ]
        let missing = named.filter { $0.1?.isEmpty ?? true }.map(\.0)
        guard missing.isEmpty, let keyFile, let keyId, let issuerId, let bundleId else {
            throw ToolFailure(
                .usage, code: "apple.credentials-missing", "no value for \(missing.joined(separator: ", "))",
                hint: "give the options, environment variables such as RETENTIONCTL_KEY_ID, or a --profile")
        }
        return AppStoreCredentials(
            key: try SigningKeyOptions.key(keyFile), keyId: keyId, issuerId: issuerId, bundleId: bundleId)
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
    init(path: String) throws(ToolFailure) {
        let text = try Self.text(path)
        let limits = JSONLimits(byteCount: Self.byteLimit, depth: 4)
        let document = try JSONError.mapped(
            to: { ToolFailure(.badData, [Finding($0).inFile(path)]) },
            try JSONDocument(parsing: text.span, limits: limits)
        )
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

    private static func text(_ path: String) throws(ToolFailure) -> [UInt8] {
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            if try FileStatus(of: file).permissions & 0o007 == 0 {
                return try file.readAll(limitBytes: byteLimit)
            }
        } catch {
            throw ToolFailure(error, file: path)
        }
        throw ToolFailure(
            .permission, code: "profile.exposed", "others may use it; chmod o= \(path)", file: path)
    }

    private static func malformed(_ message: String, _ path: String, _ name: String) -> ToolFailure {
        ToolFailure(
            .badData, code: "profile.malformed", message, hint: Hint.choice(name, among: names), file: path)
    }
}
