internal import Cryptography
internal import JSON

/// A compact JWS (RFC 7515 section 7.1) that has exactly the header members and claims that Apple documents.
struct UnverifiedToken {
    /// The form of the signature, known from the claim `aud`.
    let form: OfferForm
    let header: JSONNode
    let claims: JSONNode
    /// The claim `iat`, in seconds since 1970.
    let issuedAtSeconds: Int64
    /// The decoded claim `request` of the Advanced Commerce API; nil for a promotional offer.
    let request: JSONNode?
    /// The signed text: header and claims in base64url, joined by a dot.
    let signedText: [UInt8]
    /// The signature, 64 bytes: r‖s.
    let signature: [UInt8]

    init(_ text: [UInt8]) throws(OfferProblem) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Array($0) }
        guard parts.count == 3, let signature = Self.decoded(parts[2]),
            signature.count == ES256Verifier.signatureByteCount, let header = Self.document(parts[0]),
            let claims = Self.document(parts[1])
        else { throw .jwsMalformed }
        let head = try StrictJSONObject(header.root, "header", required: ["alg", "kid", "typ"])
        try head.constant("alg", "ES256")
        try head.constant("typ", "JWT")
        _ = try head.string("kid")
        form = try Self.form(claims.root)
        let own =
            form == .v2 ? ["productId", "offerIdentifier", "transactionId"] : ["request"]
        let object = try StrictJSONObject(
            claims.root, "claims", required: ["iss", "iat", "aud", "bid", "nonce"] + own)
        for name in ["iss", "bid"] + own { _ = try object.string(name) }
        if form == .v2 {
            for name in ["productId", "offerIdentifier"] { _ = try object.identifier(name) }
        }
        _ = try object.lowerCaseUUID("nonce")
        issuedAtSeconds = try object.integer("iat")
        guard Self.times.contains(issuedAtSeconds) else {
            throw .memberWrong("claims.iat", expected: "in seconds since 1970")
        }
        if form == .advancedCommerce {
            let encoded = Array(try object.string("request").utf8)
            guard let json = Base64.decode(encoded.span), let document = UnverifiedOffer.document(json),
                document.root.kind == .object
            else { throw .memberWrong("claims.request", expected: "base64 of a JSON object") }
            try Self.check(request: document.root)
            request = JSONNode(document.root)
        } else {
            request = nil
        }
        self.header = JSONNode(header.root)
        self.claims = JSONNode(claims.root)
        signedText = parts[0] + [UInt8(ascii: ".")] + parts[1]
        self.signature = signature
    }

    /// The values that count as seconds, up to the year 5138. A larger number is in milliseconds.
    private static let times: Range<Int64> = 1..<100_000_000_000

    /// Refuses a request that lacks the members that the service adds. The other members come from the rules.
    private static func check(request: JSONValue) throws(OfferProblem) {
        let own = ["operation", "version", "transactionId", "requestInfo"]
        let object = try StrictJSONObject(request, "request", required: own, optional: nil)
        try object.constant("operation", "MODIFY_SUBSCRIPTION")
        try object.constant("version", "1")
        _ = try object.string("transactionId")
        let reference = "requestReferenceId"
        guard let info = request.member("requestInfo") else { return }
        _ = try StrictJSONObject(info, "request.requestInfo", required: [reference], optional: nil)
            .lowerCaseUUID(reference)
    }

    private static func form(_ claims: JSONValue) throws(OfferProblem) -> OfferForm {
        switch claims.member("aud")?.string {
        case "promotional-offer": return .v2
        case "advanced-commerce-api": return .advancedCommerce
        default:
            guard claims.kind == .object, claims.member("aud") != nil else {
                throw .memberMissing("claims.aud")
            }
            throw .memberWrong("claims.aud", expected: "\"promotional-offer\" or \"advanced-commerce-api\"")
        }
    }

    private static func document(_ part: [UInt8]) -> JSONDocument? {
        decoded(part).flatMap { UnverifiedOffer.document($0) }
    }

    private static func decoded(_ part: [UInt8]) -> [UInt8]? { Base64URL.decode(part.span) }
}
