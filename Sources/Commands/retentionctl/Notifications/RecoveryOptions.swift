internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import JSON
internal import Recovery
internal import SignedPayloads
internal import System

/// The options of commands that read signed payloads from Apple's server: the server, the credentials, and who may vouch
/// for the payloads.
struct RecoveryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Apple's number of the app (Apple ID in App Store Connect); Production needs it, or --config.",
            valueName: "number")
    )
    var app: Int64?

    @OptionGroup var trust: PayloadTrustOptions
    @OptionGroup var apple: AppleOptions

    func validate() throws {
        if let app, app <= 0 { throw ValidationError("--app must be above 0.") }
    }

    /// Returns a client, and the verifier for what Apple's server returns.
    func session(_ configuration: Configuration? = nil) throws -> RecoverySession {
        let session = try apple.session()
        let (verifier, owner) = try PayloadTrust(trust, configuration).verifier(
            of: session.credentials.bundleId, in: apple.environment, appAppleId: app)
        return RecoverySession(apple: session, verifier: verifier, owner: owner)
    }
}

struct RecoverySession {
    let apple: AppleSession
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
}

extension PayloadTrust {
    /// Returns a verifier of the payloads of one app in one environment, and the owner that they must name.
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
                throw ToolError(
                    .data, code: "recovery.app-not-configured",
                    "the configuration does not name \(bundleId) in \(environment.rawValue)")
            }
            number = app.appAppleId
        }
        guard number != nil || environment != .production else {
            throw ToolError(
                .usage, code: "recovery.app-apple-id-missing",
                "notifications of Production name the app by Apple's number too; give --app or --config")
        }
        let verifier = try verifier(bundleId: bundleId, appAppleId: number ?? 0)
        let owner = try VerificationError.mapped(
            to: { ToolError(.ours, code: $0.code, "the app is unknown to its verifier") },
            try verifier.owner(appAppleId: number ?? 0, environment: environment)
        )
        return (verifier, owner)
    }
}

extension RecoveryCounts {
    var members: [(String, JSONNode)] {
        let lost = refused.merging(unstorable, uniquingKeysWith: +).sorted { $0.key < $1.key }
        return [
            ("new", .integer(Int64(newCount))), ("alreadyStored", .integer(Int64(knownCount))),
            ("erased", .integer(Int64(erasedCount))), ("calls", .integer(Int64(callCount))),
            ("notStored", .object(lost.map { ($0.key, .integer(Int64($0.value))) })),
        ]
    }
}
