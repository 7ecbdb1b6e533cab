internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import Cryptography
internal import JSON
internal import NotificationStore
internal import SignedPayloads
internal import System

struct PayloadTrustOptions: ParsableArguments {
    @Option(help: "The trusted roots in PEM, instead of the configuration's or Apple's.", completion: .pem)
    var anchors: String?
}

/// Verifies payloads of a store or of a file: for the apps of a configuration, or for the app that a payload names.
final class PayloadTrust {
    private let configured: SignedPayloadVerifier?
    let apps: [AppConfiguration]
    private let anchors: [Certificate]
    private var named: [AppName: SignedPayloadVerifier] = [:]

    private struct AppName: Hashable {
        let bundleId: String
        let appAppleId: Int64
    }

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

    /// `now` is the time before which it must have been signed; nil for its own time of signing.
    func notification(_ jws: [UInt8], now: Int64?) throws -> VerifiedPayload<SignedNotification> {
        let presented = UnverifiedJWS(jws)
        let verifier = try verifier(presented)
        return try verifier.verifyNotification(compact: jws.span, nowMilliseconds: time(presented, now))
    }

    func item(
        _ kind: StoredJWS.Kind, _ jws: [UInt8], of place: (app: String, environment: String), now: Int64?,
        origin: (source: StoreSource, receivedAt: Int64)
    ) throws -> StoreItem {
        let presented = UnverifiedJWS(jws)
        let owner = try owner(place, presented)
        let verifier = try verifier(presented, app: place.app)
        let now = time(presented, now)
        let (source, time) = origin
        return switch kind {
        case .notification, .transaction:
            StoreItem(
                try verifier.verifyTransaction(compact: jws.span, of: owner, nowMilliseconds: now), of: owner,
                source: source, receivedAt: time)
        case .renewal:
            StoreItem(
                try verifier.verifyRenewalInfo(compact: jws.span, of: owner, nowMilliseconds: now), of: owner,
                source: source, receivedAt: time)
        case .appTransaction:
            StoreItem(
                try verifier.verifyAppTransaction(compact: jws.span, of: owner, nowMilliseconds: now),
                of: owner, source: source, receivedAt: time)
        }
    }

    /// The time of the check. A payload's own time of signing is true once its signature is.
    private func time(_ presented: UnverifiedJWS, _ now: Int64?) -> Int64 {
        now ?? presented.time ?? Clock.wallMilliseconds()
    }

    private func owner(_ place: (app: String, environment: String), _ presented: UnverifiedJWS) throws
        -> PayloadOwner
    {
        guard let environment = Environment(rawValue: place.environment) else {
            throw ToolError.rowDiffers
        }
        var number = presented.appAppleId ?? 0
        if configured != nil {
            let app = apps.first { $0.bundleId == place.app && $0.environments.contains(environment) }
            number = app?.appAppleId ?? number
        }
        let verifier = try verifier(presented, app: place.app)
        return try verifier.owner(appAppleId: number, environment: environment)
    }

    var hasConfiguration: Bool { configured != nil }

    private func verifier(_ presented: UnverifiedJWS, app: String? = nil) throws -> SignedPayloadVerifier {
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
        if named.count >= 64 { named = [:] }
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

extension ToolError {
    static var rowDiffers: ToolError {
        ToolError(
            .data, code: "store.row-differs", "the row has another app or environment than its JWS")
    }
}

/// What a payload says of its app decides who verifies it, and the verification then shows that it is true.
extension UnverifiedJWS {
    fileprivate var bundleId: String? { named("bundleId")?.string }
    fileprivate var appAppleId: Int64? { named("appAppleId")?.int64 }
    fileprivate var time: Int64? { signedDate ?? payload?.member("receiptCreationDate")?.int64 }

    private func named(_ name: StaticString) -> JSONValue? {
        let objects: [StaticString] = [
            "data", "summary", "externalPurchaseToken", "appData", "unclaimInfo",
        ]
        return payload?.member(name) ?? objects.lazy.compactMap { payload?.member($0)?.member(name) }.first
    }
}
