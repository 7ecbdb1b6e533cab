package import Cryptography
internal import JSON

/// The In-App Purchase keys of a team, and the check of the tokens that they sign.
/// Source: Apple, Generating JSON Web Tokens for API requests.
package struct TokenKeys {
    package let issuerId: String
    private let verifiers: [String: ES256Verifier]

    static let lifetimeSeconds: Int64 = 3600
    /// How far the clock of a client may be ahead, in seconds. Apple does not say how far.
    static let skewSeconds: Int64 = 60

    package init(issuerId: String, verifiers: [String: ES256Verifier]) {
        self.issuerId = issuerId
        self.verifiers = verifiers
    }

    /// `exp` must lie ahead, at most 60 minutes after `iat`. Apple's libraries for Python and Java send no `iat`, and Apple's server
    /// takes their tokens; then `exp` must lie at most 60 minutes ahead.
    func bundleId(of authorization: String?, nowMilliseconds: Int64) -> String? {
        guard let authorization, authorization.utf8.count <= SimulatorLimits.tokenByteCount else {
            return nil
        }
        let words = authorization.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        guard let claims = claims(of: String(words[1])) else { return nil }
        guard claims.member("aud")?.string == "appstoreconnect-v1", claims.member("iss")?.string == issuerId,
            hasValidTimes(claims, now: nowMilliseconds / 1000)
        else { return nil }
        return claims.member("bid")?.string
    }

    func claims(of token: String) -> JSONValue? {
        guard token.utf8.count <= SimulatorLimits.tokenByteCount else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            header.member("alg")?.string == "ES256", let keyId = header.member("kid")?.string,
            let verifier = verifiers[keyId],
            let signature = Base64URL.decode(Array(parts[2].utf8).span)
        else { return nil }
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        return verifier.isValid(signature: signature.span, for: input.span) ? claims : nil
    }

    func verifier(_ keyId: String) -> ES256Verifier? { verifiers[keyId] }

    private func hasValidTimes(_ claims: JSONValue, now: Int64) -> Bool {
        guard let end = claims.member("exp")?.int64, end > now else { return false }
        var start = now + Self.skewSeconds
        if let issued = claims.member("iat") {
            guard let issued = issued.int64, issued <= now + Self.skewSeconds else { return false }
            start = issued
        }
        let (lifetime, overflow) = end.subtractingReportingOverflow(start)
        return !overflow && lifetime <= Self.lifetimeSeconds
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(Array(part.utf8).span) else { return nil }
        let limits = JSONLimits(byteCount: SimulatorLimits.tokenByteCount, depth: SimulatorLimits.jsonDepth)
        guard let root = try? JSONDocument(parsing: bytes.span, limits: limits).root, root.kind == .object
        else { return nil }
        return root
    }
}
