internal import Cryptography
internal import JSON

/// What a JWS says about its owner and its time before anything in it is verified. It decides against whom the payload is
/// verified, and the verification then shows that it is true.
struct PresentedPayload {
    /// The bundle identifier; nil when there is none.
    private(set) var bundleId: String?
    /// Apple's number of the app; nil when there is none.
    private(set) var appAppleId: Int64?
    /// The time of signing, milliseconds since 1970; nil when there is none.
    private(set) var signedDate: Int64?

    /// The names of the members of a notification that name an app.
    private static let objects: [StaticString] = [
        "data", "summary", "externalPurchaseToken", "appData", "unclaimInfo",
    ]

    init(_ jws: [UInt8]) {
        let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let limits = JSONLimits(byteCount: 1 << 20, depth: 64)
        guard parts.count == 3, let text = Base64URL.decode(Array(parts[1]).span),
            let document = try? JSONDocument.replacingUnreadable(in: text.span, limits: limits),
            document.root.kind == .object
        else { return }
        let root = document.root
        signedDate = root.member("signedDate")?.int64 ?? root.member("receiptCreationDate")?.int64
        for holder in [root] + Self.objects.compactMap({ root.member($0) }) where holder.kind == .object {
            bundleId = bundleId ?? holder.member("bundleId")?.string
            appAppleId = appAppleId ?? holder.member("appAppleId")?.int64
        }
    }
}
