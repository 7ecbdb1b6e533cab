import Cryptography
import Testing

@Suite("The signing of a token")
struct JWSSigningTests {
    @Test("gives Apple's header, the claims as they were given, and a signature that the public key verifies")
    func token() throws {
        let key = try SigningKey.generate()
        let header = JWSSigning.encodedHeader(keyId: "2X9R4HXF34")
        #expect(Self.decoded(header) == Array(#"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#.utf8))
        let claims = Array(#"{"iss":"issuer","iat":1795219200}"#.utf8)
        let token = try JWSSigning.token(header: header, claims: claims.span, key: ES256Signer(key))
        let dot = UInt8(ascii: ".")
        let parts = token.split(separator: dot, omittingEmptySubsequences: false).map { Array($0) }
        try #require(parts.count == 3)
        #expect(parts[0] == header)
        #expect(Self.decoded(parts[1]) == claims)
        let verifier = try ES256Verifier(keyOf: key)
        let signature = Self.decoded(parts[2])
        let input = parts[0] + [dot] + parts[1]
        let isValid = verifier.isValid(signature: signature.span, for: input.span)
        let isValidForLess = verifier.isValid(signature: signature.span, for: header.span)
        #expect(isValid && !isValidForLess)
    }

    private static func decoded(_ text: [UInt8]) -> [UInt8] { Base64URL.decode(text.span) ?? [] }
}
