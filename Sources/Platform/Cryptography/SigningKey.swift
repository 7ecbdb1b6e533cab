internal import COpenSSL

/// A private key on P-256 (FIPS 186-4) that makes ES256 signatures (RFC 7518 section 3.4). Copies share the key by
/// reference, and the key is never printed.
///
///     let key = try SigningKey.generate()
///     let signature = try key.sign(message.span)
///     let isValid = try ES256Verifier(keyOf: key).isValid(signature: signature.span, for: message.span)
public struct SigningKey: Sendable, CustomStringConvertible {
    let handle: PrivateKeyHandle

    /// Makes a signing key from a key that is already in memory.
    ///
    /// - Throws: `cryptography.key-unsuitable` when the key is not on P-256.
    package init(_ handle: PrivateKeyHandle) throws(CryptographyError) {
        guard handle.kind == .p256 else { throw .keyUnsuitable }
        self.handle = handle
    }

    /// Makes a new key from the system's random bytes.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public static func generate() throws(CryptographyError) -> SigningKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .opensslFailure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else {
            ERR_clear_error()
            throw .opensslFailure
        }
        return try SigningKey(unsafe PrivateKeyHandle(takingOwnership: key))
    }

    /// Returns the key as PKCS #8 in PEM, unencrypted. Write it only to a file that nobody but its owner can read.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pem() throws(CryptographyError) -> String {
        try handle.pem()
    }

    /// Returns the SHA-256 digest of the public half, as SubjectPublicKeyInfo (RFC 5280).
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func publicKeyDigest() throws(CryptographyError) -> SHA256Digest {
        let count = unsafe withPointer { unsafe i2d_PUBKEY($0, nil) }
        guard count > 0 else { throw .opensslFailure }
        var der = [UInt8](repeating: 0, count: Int(count))
        unsafe withPointer { key in
            unsafe der.withUnsafeMutableBufferPointer { block in
                var end = block.baseAddress
                _ = unsafe i2d_PUBKEY(key, &end)
            }
        }
        var hasher = SHA256Hasher()
        hasher.update(der.span)
        return hasher.finalize()
    }

    /// Signs `message` and returns r‖s, 64 bytes, the form that JWS requires. Every call returns another signature.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).sign(message)
    }

    /// Signs `message` and returns the signature in DER, the form of X.509 and of Apple's promotionalOfferSignatureV1.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).signDER(message)
    }

    /// Calls `body` with a pointer to the key. `body` must not keep the pointer.
    func withPointer<Outcome>(_ body: (OpaquePointer) -> Outcome) -> Outcome {
        unsafe handle.withPointer(body)
    }

    /// The kind of the key. The key itself is never printed.
    public var description: String { "P-256 private key" }
}
