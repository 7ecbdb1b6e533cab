internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import Cryptography
internal import JSON
internal import NotificationStore
internal import SignedPayloads
internal import System

struct PayloadTrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The trusted roots in PEM, instead of those of the configuration or Apple's.", valueName: "file"),
        completion: .file(extensions: ["pem"])
    )
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

    /// `now` is the time before which it must have been signed; nil for its own time of signing.
    func notification(_ jws: [UInt8], now: Int64?) throws -> VerifiedPayload<SignedNotification> {
        let presented = PresentedPayload(jws)
        let verifier = try verifier(presented)
        return try verifier.verifyNotification(compact: jws.span, nowMilliseconds: time(presented, now))
    }

    /// Verifies a part, which must belong to that app and environment, and makes the item for the store.
    func part(
        _ kind: StoredJWS.Kind, _ jws: [UInt8], of place: (app: String, environment: String), now: Int64?,
        origin: (source: StoreSource, receivedAt: Int64)
    ) throws -> StoreItem {
        let presented = PresentedPayload(jws)
        let owner = try owner(place, presented)
        let verifier = try verifier(presented, app: place.app)
        let now = time(presented, now)
        switch kind {
        case .notification, .transaction:
            let part = try verifier.verifyTransaction(compact: jws.span, of: owner, nowMilliseconds: now)
            return StoreItem(part, of: owner, source: origin.source, receivedAt: origin.receivedAt)
        case .renewal:
            let part = try verifier.verifyRenewalInfo(compact: jws.span, of: owner, nowMilliseconds: now)
            return StoreItem(part, of: owner, source: origin.source, receivedAt: origin.receivedAt)
        case .appTransaction:
            let part = try verifier.verifyAppTransaction(compact: jws.span, of: owner, nowMilliseconds: now)
            return StoreItem(part, of: owner, source: origin.source, receivedAt: origin.receivedAt)
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

extension ToolError {
    static var rowDiffers: ToolError {
        ToolError(
            .data, code: "store.row-differs", "the row has another app or environment than its JWS")
    }
}

/// What a JWS says about its owner and its time before anything in it is verified. It decides against whom the payload is
/// verified, and the verification then shows that it is true.
struct PresentedPayload {
    private(set) var bundleId: String?
    private(set) var appAppleId: Int64?
    private(set) var signedDate: Int64?

    private static let objects: [StaticString] = [
        "data", "summary", "externalPurchaseToken", "appData", "unclaimInfo",
    ]

    init(_ jws: [UInt8]) {
        guard let document = DecodedPayload.document(jws), document.root.kind == .object else { return }
        let root = document.root
        signedDate = root.member("signedDate")?.int64 ?? root.member("receiptCreationDate")?.int64
        for holder in [root] + Self.objects.compactMap({ root.member($0) }) where holder.kind == .object {
            bundleId = bundleId ?? holder.member("bundleId")?.string
            appAppleId = appAppleId ?? holder.member("appAppleId")?.int64
        }
    }
}
