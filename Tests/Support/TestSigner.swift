public import AppStoreTraffic
import CertificateAuthority
public import Cryptography

/// Builds good and bad compact JWS from a header object, payload bytes and a key.
public struct TestSigner: Sendable {
    /// The chain whose certificates are in `x5c`.
    public let chain: AppleShapedChain
    /// The leaf's key.
    public let key: SigningKey

    /// Makes a signer that signs with the key of this chain's leaf.
    public init(_ chain: AppleShapedChain) throws {
        self.chain = chain
        key = try chain.leaf.key.signingKey()
    }

    /// The header Apple sends: ES256 and the three certificates.
    public var header: TestObject { Self.header(x5c: chain.x5c) }

    /// Returns a header with these entries in `x5c`. They are written without escapes.
    public static func header(x5c: [String]) -> TestObject {
        TestObject([
            ("alg", "\"ES256\""), ("x5c", "[\(x5c.map { "\"\($0)\"" }.joined(separator: ","))]"),
        ])
    }

    /// Returns a signed token of `payload`, with this chain's header unless another header is given.
    public func token(_ payload: [UInt8], header: TestObject? = nil) throws -> [UInt8] {
        let input = Self.signingInput((header ?? self.header).text, payload)
        return try Self.token(input, signature: key.sign(input.span))
    }

    /// Returns a sound request body, as Apple's server writes it.
    public func body(_ payload: TestObject) throws -> [UInt8] {
        Self.body(try token(payload.text))
    }

    /// `base64url(header).base64url(payload)`.
    public static func signingInput(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        Base64URL.encode(header.span) + [UInt8(ascii: ".")] + Base64URL.encode(payload.span)
    }

    /// Returns the token that consists of a signing input and a signature of any bytes.
    public static func token(_ input: [UInt8], signature: [UInt8]) -> [UInt8] {
        input + [UInt8(ascii: ".")] + Base64URL.encode(signature.span)
    }

    /// `{"signedPayload":"…"}`.
    public static func body(_ token: [UInt8]) -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + token + Array(#""}"#.utf8)
    }
}
