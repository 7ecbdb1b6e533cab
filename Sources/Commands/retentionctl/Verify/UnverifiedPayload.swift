internal import Cryptography
internal import JSON

/// The contents of a JWS before anything in it is verified: enough to show it to a person.
struct UnverifiedPayload {
    /// The readable certificates of `x5c`, in their order.
    let chain: [Certificate]
    /// The payload; nil when it is not JSON.
    let payload: JSONNode?
    /// The member `signedDate`; nil when it is not a whole number.
    let signedDate: Int64?
    /// The member `appAppleId`; nil when it is not a whole number.
    let appAppleId: Int64?

    init(compact text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Array($0)
        }
        let header = parts.first.flatMap { Self.document($0) }
        let entries = header?.root.member("x5c").map { $0.kind == .array ? $0.elements : [] } ?? []
        chain = entries.prefix(Self.certificateCount).compactMap { entry in
            let encoded = Array((entry.string ?? "").utf8)
            guard let der = Base64.decode(encoded.span) else { return nil }
            return try? Certificate(der: der.span)
        }
        let content = parts.count > 1 ? Self.document(parts[1]) : nil
        payload = content.map { JSONNode($0.root) }
        signedDate = content.flatMap { Self.number("signedDate", $0) }
        appAppleId = content.flatMap { Self.number("appAppleId", $0) }
    }

    /// The number of certificates that are read: more than the three that a valid chain has, so that the report shows
    /// extra ones.
    private static let certificateCount = 8

    private static func document(_ part: [UInt8]) -> JSONDocument? {
        guard let text = Base64URL.decode(part.span) else { return nil }
        return try? JSONDocument.replacingUnreadable(
            in: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 64))
    }

    private static func number(_ name: StaticString, _ document: JSONDocument) -> Int64? {
        guard document.root.kind == .object else { return nil }
        return document.root.member(name)?.int64
    }
}
