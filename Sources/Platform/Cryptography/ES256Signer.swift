internal import COpenSSL

/// Makes ES256 signatures (RFC 7518 section 3.4) with one key.
///
/// The object holds a prepared libcrypto context, which makes every signature after the first cheaper. Because of the
/// context, threads must not share it.
@safe public final class ES256Signer {
    private let context: OpaquePointer

    /// Prepares the context with `key`.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public init(_ key: SigningKey) throws(CryptographyError) {
        // The context keeps its own reference to the key.
        let context = unsafe key.withPointer { key in unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) }
        guard let context = unsafe context else { throw .opensslFailure }
        guard unsafe EVP_PKEY_sign_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
            throw .opensslFailure
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    /// Signs `message` and returns r and s, 32 bytes each, the form that JWS requires. Every call returns another signature.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        let encoded = try signDER(message)
        guard let raw = Self.raw(encoded.span) else { throw .opensslFailure }
        return raw
    }

    /// Signs `message` and returns the signature in DER, the form of X.509 and of Apple's promotionalOfferSignatureV1.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var size: UInt32 = 0
        let isHashed = unsafe message.withUnsafeBufferPointer { text in
            unsafe EVP_Digest(text.baseAddress, text.count, &digest, &size, EVP_sha256(), nil) == 1
        }
        var signature = [UInt8](repeating: 0, count: 72)
        var length = signature.count
        let result = unsafe EVP_PKEY_sign(context, &signature, &length, digest, digest.count)
        let isSigned = isHashed && result == 1 && length <= signature.count
        guard isSigned else {
            ERR_clear_error()
            throw .opensslFailure
        }
        signature.removeLast(signature.count - length)
        return signature
    }

    /// Decodes SEQUENCE { INTEGER r, INTEGER s } and returns r and s, 32 bytes each. Returns nil unless `encoded` is the one
    /// DER form of such a signature.
    static func raw(_ encoded: Span<UInt8>) -> [UInt8]? {
        guard encoded.count >= 8, encoded.count <= 72, encoded[0] == 0x30,
            Int(encoded[1]) == encoded.count - 2
        else {
            return nil
        }
        var raw = [UInt8](repeating: 0, count: 64)
        var place = 2
        for end in [32, 64] {
            guard encoded.count - place >= 3, encoded[place] == 0x02 else { return nil }
            var count = Int(encoded[place + 1])
            place += 2
            guard count >= 1, encoded.count - place >= count, encoded[place] < 0x80 else { return nil }
            if encoded[place] == 0, count > 1 {
                // DER has a leading zero byte only before a byte whose first bit is set.
                guard encoded[place + 1] >= 0x80 else { return nil }
                place += 1
                count -= 1
            }
            guard count <= 32 else { return nil }
            for index in 0..<count { raw[end - count + index] = encoded[place + index] }
            place += count
        }
        return place == encoded.count ? raw : nil
    }
}
