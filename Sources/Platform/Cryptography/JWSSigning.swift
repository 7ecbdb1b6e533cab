public import JSON

/// Makes a compact JWS (RFC 7515 section 7.1) with ES256 (RFC 7518 section 3.4), in the form that Apple takes from
/// the holder of a key of App Store Connect.
///
///     var claims = JSONObjectWriter()
///     claims.add("iss", "57246542-96fe-1a63-e053-0824d011072a")
///     let header = JWSSigning.encodedHeader(keyId: "2X9R4HXF34")
///     let token = try JWSSigning.token(header: header, claims: claims, key: ES256Signer(key))
public enum JWSSigning {
    /// Returns the encoded header `{"alg":"ES256","kid":…,"typ":"JWT"}`, which is the same for everything that one
    /// key signs.
    public static func encodedHeader(keyId: String) -> [UInt8] {
        let header = JSONNode.object([
            ("alg", .string("ES256")), ("kid", .string(keyId)), ("typ", .string("JWT")),
        ])
        return Base64URL.encode(header.serialized().span)
    }

    /// Signs claims under an encoded header and returns the compact JWS.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public static func token(header: [UInt8], claims: JSONObjectWriter, key: ES256Signer)
        throws(CryptographyError) -> [UInt8]
    {
        let payload = Base64URL.encode(claims.finished().span)
        var text = header
        text.reserveCapacity(header.count + payload.count + 88)
        text.append(UInt8(ascii: "."))
        text += payload
        let signature = try key.sign(text.span)
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(signature.span)
        return text
    }
}
