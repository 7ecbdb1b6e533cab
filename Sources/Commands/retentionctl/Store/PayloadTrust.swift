internal import ArgumentParser
internal import Configuration
internal import Cryptography
internal import NotificationStore
internal import SignedPayloads
internal import System
internal import Vocabulary

/// The option that says who may vouch for payloads.
struct PayloadTrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The trusted roots in PEM, instead of those of the configuration or Apple's.", valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
    var anchors: String?
}

/// A payload that failed its verification.
struct RefusedPayload: CodedError, CustomStringConvertible {
    /// The code of the verifier, or of the store.
    let code: String
    /// What the refusal is about; nil when the code says everything.
    let detail: String?

    init(_ error: VerificationError) {
        code = error.code
        detail = error.detail?.description
    }

    init(_ error: StoreToolError) {
        code = error.code
        detail = error.description
    }

    var description: String { detail ?? code.replacing("-", with: " ") }
}

/// Verifies payloads of a store or of a file: for the apps of a configuration, or for the app that a payload names.
final class PayloadTrust {
    /// The verifier for the apps of a configuration; nil without a configuration.
    private let configured: SignedPayloadVerifier?
    let apps: [AppConfiguration]
    private let anchors: [Certificate]
    private var named: [AppName: SignedPayloadVerifier] = [:]

    private struct AppName: Hashable {
        let bundleId: String
        let appAppleId: Int64
    }

    /// The most verifiers that are kept. A store has few apps.
    private static let verifierCount = 64

    init(_ options: PayloadTrustOptions, _ configuration: Configuration?) throws {
        apps = configuration?.apps ?? []
        if let path = options.anchors {
            anchors = try TrustedAnchors.read(path)
        } else if let paths = configuration?.anchors, !paths.isEmpty {
            anchors = try paths.flatMap { try TrustedAnchors.read($0) }
        } else {
            anchors = try AppleRoots.certificates()
        }
        guard !apps.isEmpty else {
            configured = nil
            return
        }
        let identities = try apps.map { app in
            let own = try app.anchors.flatMap { try TrustedAnchors.read($0) }
            return AppIdentity(
                appAppleId: app.appAppleId, bundleId: app.bundleId, environments: Set(app.environments),
                anchors: own.isEmpty || options.anchors != nil ? nil : own)
        }
        configured = try Self.verifier(identities, anchors)
    }

    /// Verifies a notification.
    ///
    /// - Parameters:
    ///   - jws: its JWS.
    ///   - now: the time before which it must have been signed; nil for its own time of signing.
    /// - Returns: the notification with the proof.
    /// - Throws: ``RefusedPayload``.
    func notification(_ jws: [UInt8], now: Int64?) throws -> VerifiedPayload<SignedNotification> {
        let presented = PresentedPayload(jws)
        let verifier = try verifier(presented)
        return try VerificationError.mapped(
            to: { RefusedPayload($0) },
            try verifier.verifyNotification(compact: jws.span, nowMilliseconds: time(presented, now))
        )
    }

    /// Verifies a transaction, a renewal info or an app transaction, and makes the item for the store.
    ///
    /// - Parameters:
    ///   - kind: what it is.
    ///   - jws: its JWS.
    ///   - place: the app and the environment that it must belong to.
    ///   - now: the time before which it must have been signed; nil for its own time of signing.
    ///   - origin: how and when it came.
    /// - Returns: the item for the store.
    /// - Throws: ``RefusedPayload``.
    func part(
        _ kind: StoredJWS.Kind, _ jws: [UInt8], of place: (app: String, environment: String), now: Int64?,
        origin: (source: StoreSource, receivedAt: Int64)
    ) throws -> StoreItem {
        let presented = PresentedPayload(jws)
        let owner = try owner(place, presented)
        let verifier = try verifier(presented, app: place.app)
        let now = time(presented, now)
        do throws(VerificationError) {
            switch kind {
            case .notification, .transaction:
                let part = try verifier.verifyTransaction(compact: jws.span, of: owner, nowMilliseconds: now)
                return StoreItem(part, of: owner, source: origin.source, receivedAt: origin.receivedAt)
            case .renewal:
                let part = try verifier.verifyRenewalInfo(compact: jws.span, of: owner, nowMilliseconds: now)
                return StoreItem(part, of: owner, source: origin.source, receivedAt: origin.receivedAt)
            case .appTransaction:
                let part = try verifier.verifyAppTransaction(
                    compact: jws.span, of: owner, nowMilliseconds: now)
                return StoreItem(part, of: owner, source: origin.source, receivedAt: origin.receivedAt)
            }
        } catch {
            throw RefusedPayload(error)
        }
    }

    /// The time of the check. A payload's own time of signing is true once its signature is.
    private func time(_ presented: PresentedPayload, _ now: Int64?) -> Int64 {
        now ?? presented.signedDate ?? Clock.wallMilliseconds()
    }

    private func owner(_ place: (app: String, environment: String), _ presented: PresentedPayload) throws
        -> PayloadOwner
    {
        guard let environment = Environment(rawValue: place.environment) else {
            throw RefusedPayload(StoreToolError.rowDiffers)
        }
        var number = presented.appAppleId ?? 0
        if configured != nil {
            let app = apps.first { $0.bundleId == place.app && $0.environments.contains(environment) }
            number = app?.appAppleId ?? number
        }
        let verifier = try verifier(presented, app: place.app)
        return try VerificationError.mapped(
            to: { RefusedPayload($0) },
            try verifier.owner(appAppleId: number, environment: environment)
        )
    }

    /// True when the apps are those of a configuration.
    var hasConfiguration: Bool { configured != nil }

    private func verifier(_ presented: PresentedPayload, app: String? = nil) throws -> SignedPayloadVerifier {
        try verifier(bundleId: app ?? presented.bundleId ?? "", appAppleId: presented.appAppleId ?? 0)
    }

    /// Returns the verifier for the apps of the configuration, or without one for the app with that identifier and number.
    func verifier(bundleId: String, appAppleId: Int64) throws -> SignedPayloadVerifier {
        if let configured { return configured }
        let name = AppName(bundleId: bundleId, appAppleId: appAppleId)
        if let known = named[name] { return known }
        let identity = AppIdentity(
            appAppleId: name.appAppleId, bundleId: name.bundleId,
            environments: [.production, .sandbox, .localTesting])
        let new = try Self.verifier([identity], anchors)
        if named.count >= Self.verifierCount { named = [:] }
        named[name] = new
        return new
    }

    private static func verifier(_ apps: [AppIdentity], _ anchors: [Certificate]) throws
        -> SignedPayloadVerifier
    {
        var policy = VerificationPolicy(
            anchors: anchors, apps: apps, maxSignedAgeSeconds: 0, unseenChains: .unlimited)
        policy.jsonByteCount = 1 << 20
        return try SignedPayloadVerifier(policy: policy)
    }
}
