internal import AppStoreSimulator
internal import Cryptography
internal import HTTPLoad
internal import System

/// Signed notifications in Apple's shape, each of another renewal of another subscription, and the files that the load
/// generator and the C programs read.
struct NotificationTraffic {
    /// The number of notifications that a run of the load generator sends at most, each of them once.
    static let count = 8192
    /// The number of notifications of which this process keeps the bodies.
    private static let keptCount = 1024
    /// The path of the recorder's location.
    static let path = "/notifications"

    /// Bodies of the first notifications.
    let bodies: [[UInt8]]
    /// The notifications as whole HTTP requests.
    let requestsFile: String
    /// The three JWS of each notification of `bodies`, each as the body of a request: the outer one, the transaction and
    /// the renewal info.
    let partsFile: String

    /// Signs the notifications with the leaf of the traffic's chain, and writes the files.
    init(_ traffic: Traffic, in workspace: Workspace) throws {
        let signer = try SignedRequestBuilder(chain: traffic.knownChain)
        guard let kind = NotificationKind("DID_RENEW") else { throw Failure("no DID_RENEW") }
        requestsFile = workspace.path(of: "notifications.bin")
        partsFile = workspace.path(of: "notification-parts.bin")
        let now = Clock.wallMilliseconds()
        var kept: [[UInt8]] = []
        var parts: [[UInt8]] = []
        var file = try AtomicFileWriter(path: requestsFile)
        for number in 0..<Self.count {
            let payload = Self.payload(number, kind, signedDate: now)
            let body = try signer.body(payload)
            try file.append(Traffic.joined([RequestText.post(Self.path, body)]).span)
            guard number < Self.keptCount else { continue }
            kept.append(body)
            parts.append(body)
            for part in [payload.transaction, payload.renewalInfo] {
                guard let part else { throw Failure("a renewal without its parts") }
                parts.append(SignedRequestBuilder.wrap(try signer.compact(part.json)))
            }
        }
        try file.commit()
        bodies = kept
        try workspace.write(Traffic.joined(parts), to: "notification-parts.bin")
    }

    /// The renewal of a subscription in its third period.
    private static func payload(_ number: Int, _ kind: NotificationKind, signedDate: Int64)
        -> NotificationPayload
    {
        var sample = SubscriptionSample(
            appAppleId: Traffic.appAppleId, bundleId: Traffic.bundleId, environment: .sandbox,
            purchaseDate: signedDate)
        sample.originalTransactionId = 2_000_000_100_000_000 + Int64(number) * 10
        sample.period = 3
        sample.productId = Traffic.productId
        let low = 0x8000_0000_0000_0000 | UInt64(number)
        sample.appAccountToken = UUID(high: 0x7BD1_F58A_03C9_4A5E, low: low)
        return NotificationPayload(
            kind, of: sample, uuid: UUID(high: 0x3DB5_C98D_8ACF_4E29, low: low), signedDate: signedDate)
    }
}
