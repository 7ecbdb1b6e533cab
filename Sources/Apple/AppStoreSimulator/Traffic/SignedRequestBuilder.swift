internal import CertificateAuthority
package import Cryptography
internal import JSON

/// Signs payloads as Apple's server signs them: JWS compact serialization (RFC 7515 section 7.1) with ES256 and the
/// chain in `x5c`, wrapped into the body that is posted to the endpoint.
///
/// The builder encodes the header once, so that signing costs one ECDSA signature and little else.
///
///     let builder = try SignedRequestBuilder(chain: chain)
///     let request = HTTPRequest.postJSON(try builder.body(payload), to: url)
package struct SignedRequestBuilder: Sendable {
    private let encodedHeader: [UInt8]
    private let key: SigningKey

    /// Makes a builder that signs with the leaf of `chain`.
    ///
    /// - Throws: `cryptography.key-unsuitable` when the leaf's key is not on P-256.
    package init(chain: AppleShapedChain) throws(CryptographyError) {
        self.init(header: Self.header(x5c: chain.x5c), key: try chain.leaf.key.signingKey())
    }

    /// Makes a builder that signs with any key and any header, valid or not.
    package init(header: [UInt8], key: SigningKey) {
        encodedHeader = Base64URL.encode(header.span)
        self.key = key
    }

    /// Returns a header like Apple's: `{"alg":"ES256","x5c":[…]}`.
    package static func header(x5c: [String], algorithm: String = "ES256", appended: [String] = []) -> [UInt8]
    {
        let certificates = JSONNode.array(x5c.map { .string($0) }).serialized()
        let algorithm = JSONNode.string(algorithm).serialized()
        var text = Array(#"{"alg":"#.utf8) + algorithm + Array(#","x5c":"#.utf8) + certificates
        for member in appended { text += Array(",\(member)".utf8) }
        return text + [UInt8(ascii: "}")]
    }

    /// Signs any payload and returns the JWS.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    package func compact(_ payload: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var text = signingInput(payload)
        let signature = try key.sign(text.span)
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(signature.span)
        return text
    }

    /// Returns the JWS signing input: encoded header, full stop, encoded payload.
    package func signingInput(_ payload: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(encodedHeader.count + payload.count * 4 / 3 + 128)
        text += encodedHeader
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(payload.span)
        return text
    }

    /// Signs a payload and returns the body of a Get Retention Message request.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    package func body(_ payload: RequestPayload) throws(CryptographyError) -> [UInt8] {
        Self.wrap(try compact(payload.json))
    }

    /// Returns `{"signedPayload":"…"}` with the JWS `compact` in it, the form that Apple sends.
    package static func wrap(_ compact: [UInt8]) -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + compact + Array(#""}"#.utf8)
    }
}
