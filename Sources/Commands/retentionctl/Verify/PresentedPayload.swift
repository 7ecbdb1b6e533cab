internal import Cryptography
internal import JSON

/// What a JWS says before anything about it is believed: enough to show it to a person.
struct PresentedPayload {
    /// The certificates of `x5c` that can be read, in their order.
    let chain: [Certificate]
    /// The payload where it is JSON.
    let payload: JSONNode?
    /// `signedDate` where it is a whole number.
    let signedDate: Int64?
    /// `appAppleId` where it is a whole number.
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

    /// A few more than the three that are right, so that a wrong number can be seen.
    private static let certificateCount = 8

    private static func document(_ part: [UInt8]) -> JSONDocument? {
        guard let text = Base64URL.decode(part.span) else { return nil }
        return try? JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 64))
    }

    private static func number(_ name: StaticString, _ document: JSONDocument) -> Int64? {
        guard document.root.kind == .object else { return nil }
        return document.root.member(name)?.int64
    }
}
