public import AppStoreTraffic
import CertificateAuthority
public import Cryptography

/// Puts compact JWS together, good and bad, from a header object, payload bytes and a key.
public struct TestSigner: Sendable {
    /// The certificates of `x5c` and, unless told otherwise, the key.
    public let chain: AppleShapedChain
    /// The leaf's key.
    public let key: SigningKey

    /// Signs as this chain's leaf.
    public init(_ chain: AppleShapedChain) throws {
        self.chain = chain
        key = try chain.leaf.key.signingKey()
    }

    /// The header Apple sends: ES256 and the three certificates.
    public var header: TestObject { Self.header(x5c: chain.x5c) }

    /// A header with these entries of `x5c`, which need no escapes.
    public static func header(x5c: [String]) -> TestObject {
        TestObject([
            ("alg", "\"ES256\""), ("x5c", "[\(x5c.map { "\"\($0)\"" }.joined(separator: ","))]"),
        ])
    }

    /// A token over `payload`, with this chain's header unless another is given.
    public func token(_ payload: [UInt8], header: TestObject? = nil) throws -> [UInt8] {
        let input = Self.signingInput((header ?? self.header).text, payload)
        return try Self.token(input, signature: key.sign(input.span))
    }

    /// A sound request body, as Apple's server writes it.
    public func body(_ payload: TestObject) throws -> [UInt8] {
        Self.body(try token(payload.text))
    }

    /// `base64url(header).base64url(payload)`.
    public static func signingInput(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        Base64URL.encode(header.span) + [UInt8(ascii: ".")] + Base64URL.encode(payload.span)
    }

    /// The signing input with a signature of any bytes behind it.
    public static func token(_ input: [UInt8], signature: [UInt8]) -> [UInt8] {
        input + [UInt8(ascii: ".")] + Base64URL.encode(signature.span)
    }

    /// `{"signedPayload":"…"}`.
    public static func body(_ token: [UInt8]) -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + token + Array(#""}"#.utf8)
    }
}
