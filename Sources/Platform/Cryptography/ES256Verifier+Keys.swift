internal import COpenSSL

extension ES256Verifier {
    /// Makes a verifier for the signatures that `key` makes.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public convenience init(keyOf key: SigningKey) throws(CryptographyError) {
        let context = try unsafe key.handle.withPointer { pointer throws(CryptographyError) in
            unsafe try Self.makeContext(for: pointer)
        }
        unsafe self.init(takingOwnership: context)
    }

    /// Makes a verifier with a public key in PEM (RFC 7468 section 13).
    ///
    /// - Throws: `cryptography.key-malformed` when the text is not a public key, `cryptography.key-unsuitable` when the key is
    ///   not on P-256.
    public convenience init(publicKeyPEM text: Span<UInt8>) throws(CryptographyError) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let key = unsafe text.withUnsafeBufferPointer { block -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(block.baseAddress, Int32(clamping: block.count)) else {
                return nil
            }
            defer { unsafe BIO_free_all(source) }
            return unsafe PEM_read_bio_PUBKEY(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = unsafe key else { throw .keyMalformed }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe KeyKind(of: key) == .p256 else { throw .keyUnsuitable }
        unsafe self.init(takingOwnership: try Self.makeContext(for: key))
    }

    /// Returns true when `signature` is a valid signature of `message`. The signature is in DER, as in Apple's
    /// promotionalOfferSignatureV1. DER has one form for each signature (X.690 section 10); any other form is invalid.
    public func isValid(derSignature signature: [UInt8], for message: Span<UInt8>) -> Bool {
        guard let raw = ES256Signer.raw(signature.span) else { return false }
        return isValid(signature: raw.span, for: message)
    }
}
