internal import Cryptography
internal import JSON

/// A compact JWS (RFC 7515 section 7.1) that has the header and the claims which Apple documents, and no others.
struct PresentedToken {
    /// What it is, by its audience.
    let form: OfferForm
    let header: JSONNode
    let claims: JSONNode
    /// `iat`, seconds since 1970.
    let issuedAtSeconds: Int64
    /// `bid`
    let bundleId: String
    /// What is in the claim `request` of the Advanced Commerce API.
    let request: JSONNode?
    /// What was signed: header and claims in base64url, with a dot between.
    let signedText: [UInt8]
    /// r‖s
    let signature: [UInt8]

    init(_ text: [UInt8]) throws(OfferProblem) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Array($0) }
        guard parts.count == 3, let signature = Self.decoded(parts[2]),
            signature.count == ES256Verifier.signatureByteCount, let header = Self.document(parts[0]),
            let claims = Self.document(parts[1])
        else { throw .jwsMalformed }
        let head = try ExactObject(header.root, "header", required: ["alg", "kid", "typ"])
        try head.constant("alg", "ES256")
        try head.constant("typ", "JWT")
        _ = try head.string("kid")
        form = try Self.form(claims.root)
        let own =
            form == .v2 ? ["productId", "offerIdentifier", "transactionId"] : ["request"]
        let object = try ExactObject(
            claims.root,
            "claims",
            required: ["iss", "iat", "aud", "bid", "nonce"] + own
        )
        for name in ["iss", "nonce"] + own { _ = try object.string(name) }
        issuedAtSeconds = try object.integer("iat")
        bundleId = try object.string("bid")
        if form == .advancedCommerce {
            let encoded = Array(try object.string("request").utf8)
            guard let json = Base64.decode(encoded.span), let document = PresentedOffer.document(json),
                document.root.kind == .object
            else { throw .memberWrong("claims.request", expected: "base64 of a JSON object") }
            request = JSONNode(document.root)
        } else {
            request = nil
        }
        self.header = JSONNode(header.root)
        self.claims = JSONNode(claims.root)
        signedText = parts[0] + [UInt8(ascii: ".")] + parts[1]
        self.signature = signature
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
        decoded(part).flatMap { PresentedOffer.document($0) }
    }

    private static func decoded(_ part: [UInt8]) -> [UInt8]? { Base64URL.decode(part.span) }
}
