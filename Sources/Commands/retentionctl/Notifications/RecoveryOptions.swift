internal import AppStoreServerAPI
internal import ArgumentParser
internal import Configuration
internal import JSON
internal import Recovery
internal import SignedPayloads
internal import Vocabulary

/// The options of commands that read signed payloads from Apple's server: the server, the credentials, and who may vouch
/// for the payloads.
struct RecoveryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Apple's number of the app (Apple ID in App Store Connect); Production needs it, or --config.",
            valueName: "number")
    )
    var appAppleId: Int64?

    @OptionGroup var trust: PayloadTrustOptions
    @OptionGroup var apple: AppleOptions

    func validate() throws {
        if let appAppleId, appAppleId <= 0 { throw ValidationError("--app-apple-id must be above 0.") }
    }

    /// Returns a client, and the verifier for what Apple's server returns.
    ///
    /// - Parameter configuration: the configuration with the apps; nil to trust the app of the credentials.
    /// - Returns: the client, the verifier, and the app with its environment.
    /// - Throws: `recovery.app-not-configured`, `recovery.app-apple-id-missing`, and the errors of the credentials and of the
    ///   anchors.
    func session(_ configuration: Configuration? = nil) throws -> RecoverySession {
        let session = try apple.session()
        let (verifier, owner) = try PayloadTrust(trust, configuration).verifier(
            of: session.credentials.bundleId, in: apple.environment, appAppleId: appAppleId)
        return RecoverySession(apple: session, verifier: verifier, owner: owner)
    }
}

/// A client with the verifier for what Apple's server returns.
struct RecoverySession {
    let apple: AppleSession
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
}

extension PayloadTrust {
    /// Returns a verifier of the payloads of one app in one environment, and the owner that they must name.
    ///
    /// - Throws: `recovery.app-not-configured`, `recovery.app-apple-id-missing`.
    fileprivate func verifier(of bundleId: String, in environment: Environment, appAppleId: Int64?) throws
        -> (SignedPayloadVerifier, PayloadOwner)
    {
        var number = appAppleId
        if hasConfiguration {
            let app = apps.first {
                $0.bundleId == bundleId && $0.environments.contains(environment)
                    && (appAppleId == nil || $0.appAppleId == appAppleId)
            }
            guard let app else {
                throw ToolFailure(RecoveryToolError.appNotConfigured(bundleId, environment))
            }
            number = app.appAppleId
        }
        guard number != nil || environment != .production else {
            throw ToolFailure(RecoveryToolError.appAppleIdMissing)
        }
        let verifier = try verifier(bundleId: bundleId, appAppleId: number ?? 0)
        let owner = try VerificationError.mapped(
            to: { ToolFailure(.internalFault, code: $0.code, "the app is unknown to its verifier") },
            try verifier.owner(appAppleId: number ?? 0, environment: environment)
        )
        return (verifier, owner)
    }
}

/// The reasons for which a command that reads from Apple's server does not do its work, besides those of the server and of
/// the store.
enum RecoveryToolError: CodedError, CustomStringConvertible {
    /// The configuration does not name the app of the credentials in the environment.
    case appNotConfigured(String, Environment)
    /// Apple's number of an app in Production is unknown.
    case appAppleIdMissing
    /// The range of time has no moment.
    case emptyRange

    var code: String {
        switch self {
        case .appNotConfigured: "recovery.app-not-configured"
        case .appAppleIdMissing: "recovery.app-apple-id-missing"
        case .emptyRange: "recovery.empty-range"
        }
    }

    var description: String {
        switch self {
        case .appNotConfigured(let bundleId, let environment):
            "the configuration does not name \(bundleId) in \(environment.rawValue)"
        case .appAppleIdMissing:
            "notifications of Production name the app by Apple's number too; give --app-apple-id or --config"
        case .emptyRange: "--from must be before --to, and within what Apple's history has"
        }
    }

    var status: ExitStatus {
        switch self {
        case .appNotConfigured: .configuration
        case .appAppleIdMissing, .emptyRange: .usage
        }
    }
}

extension RecoveryCounts {
    /// The counts with their names for people and for JSON.
    private var named: [(title: String, name: String, count: Int)] {
        [
            ("new", "new", newCount), ("already stored", "alreadyStored", knownCount),
            ("of erased subscribers, dropped", "erased", erasedCount), ("calls", "calls", callCount),
        ]
    }

    /// The counts as lines.
    var lines: [String] {
        named.map { "\($0.title): \($0.count)" } + lost.map { "not stored, \($0.code): \($0.count)" }
    }

    /// The counts as members of a JSON object.
    var members: [(String, JSONNode)] {
        named.map { ($0.name, .integer(Int64($0.count))) } + [
            ("notStored", .object(lost.map { ($0.code, .integer(Int64($0.count))) }))
        ]
    }

    private var lost: [(code: String, count: Int)] {
        refused.merging(unstorable, uniquingKeysWith: +).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
