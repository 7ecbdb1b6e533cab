import Cryptography
import JSON
import Support

/// An answer whose encoded parts are decoded, with placeholders for the values that differ from answer to answer.
struct DecodedAnswer {
    /// A compact JWS of the answer.
    struct Token {
        let text: String
        let keyID: String?
        let nonce: String?
        let issuedAt: Int64?
    }

    private(set) var tokens: [Token] = []
    /// The decoded answer as JSON with indentation.
    private(set) var text = ""

    init(_ body: String) throws {
        let node = try decode(Self.parse(Array(body.utf8)))
        text = String(decoding: node.serialized(pretty: true), as: UTF8.self)
    }

    private static func parse(_ bytes: [UInt8]) throws -> JSONNode {
        JSONNode(
            try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16)).root
        )
    }

    private mutating func decode(_ node: JSONNode) throws -> JSONNode {
        guard case .object(let members) = node else {
            if case .array(let elements) = node { return .array(try elements.map { try decode($0) }) }
            return node
        }
        var decoded: [(String, JSONNode)] = []
        for (name, value) in members { decoded.append((name, try decode(name, value))) }
        return .object(decoded)
    }

    private mutating func decode(_ name: String, _ value: JSONNode) throws -> JSONNode {
        switch (name, value) {
        case ("promotionalOfferSignatureV2", .string(let text)), ("token", .string(let text)):
            return try decode(token: text)
        case ("advancedCommerceData", .string(let text)), ("request", .string(let text)):
            guard let bytes = Base64.decode(Array(text.utf8).span) else {
                throw Complaint("not base64: \(text)")
            }
            return try decode(Self.parse(bytes))
        case ("nonce", .string(let text)), ("requestReferenceId", .string(let text)):
            return .string(Self.isLowerCaseUUID(text) ? "<a UUID>" : text)
        case ("encodedSignature", .string(let text)):
            let encoded = Array(text.utf8)
            let bytes = Base64.decode(encoded.span) ?? []
            return .string(bytes.first == 0x30 && bytes.count >= 68 ? "<DER in base64>" : text)
        case ("iat", .integer(let number)): return .string(number > 1_700_000_000 ? "<seconds>" : "\(number)")
        case ("timestamp", .integer(let number)):
            return .string(number > 1_700_000_000_000 ? "<milliseconds>" : "\(number)")
        default: return try decode(value)
        }
    }

    private mutating func decode(token: String) throws -> JSONNode {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            .compactMap { part -> [UInt8]? in
                let text = Array(part.utf8)
                return Base64URL.decode(text.span)
            }
        guard parts.count == 3 else { throw Complaint("not a JWS: \(token)") }
        let (header, claims, signature) = (parts[0], parts[1], parts[2])
        let root = try JSONDocument(parsing: claims.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
            .root
        let top = try JSONDocument(parsing: header.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
            .root
        tokens.append(
            Token(
                text: token, keyID: top.member("kid")?.string, nonce: root.member("nonce")?.string,
                issuedAt: root.member("iat")?.int64)
        )
        return .object([
            ("header", try Self.parse(header)), ("claims", try decode(Self.parse(claims))),
            ("signature", .string("<\(signature.count) bytes>")),
        ])
    }

    private static func isLowerCaseUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts[2].hasPrefix("4")
            && text.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) }
    }
}
