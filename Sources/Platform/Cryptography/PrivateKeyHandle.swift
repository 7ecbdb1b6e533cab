internal import COpenSSL

/// The only owner of a private key of OpenSSL's (`EVP_PKEY`). Signing only reads the key, so threads may share it. The
/// handle writes keys in PEM as PKCS #8 (RFC 5958), unencrypted.
@safe package final class PrivateKeyHandle: @unchecked Sendable {  // only read after init
    private let pointer: OpaquePointer

    /// Takes over one reference to the key and frees it in `deinit`.
    package init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Makes the key from a PKCS #8 structure on P-256. No copy of its private number is made outside the secure heap.
    ///
    /// - Throws: `cryptography.key-malformed`, `cryptography.key-unsuitable`.
    convenience init(pkcs8 der: Span<UInt8>) throws(CryptographyError) {
        let info = try P256PrivateKeyInfo(der)
        ERR_clear_error()
        defer { ERR_clear_error() }
        let key = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let base = bytes.baseAddress else { return nil }
            return unsafe rt_p256_private_key(base + info.number.lowerBound, base + info.point.lowerBound)
        }
        guard let key = unsafe key else { throw .keyMalformed }
        unsafe self.init(takingOwnership: key)
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Calls `body` with a pointer to the key. `body` must not keep the pointer.
    package func withPointer<Outcome, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        try unsafe body(pointer)
    }

    package var kind: KeyKind { unsafe KeyKind(of: pointer) }

    /// True when the public half of the key belongs to its private half.
    package var isConsistent: Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return unsafe EVP_PKEY_pairwise_check(context) == 1
    }

    /// Returns the key as a PEM text, unencrypted.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    package func pem() throws(CryptographyError) -> String {
        guard let output = unsafe BIO_new(BIO_s_secmem()) else { throw .opensslFailure }
        defer { unsafe BIO_free_all(output) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(output, pointer, nil, nil, 0, nil, nil) == 1 else {
            ERR_clear_error()
            throw .opensslFailure
        }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output))
        let count = unsafe BIO_read(output, &bytes, Int32(clamping: bytes.count))
        guard Int(count) == bytes.count else { throw .opensslFailure }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Hashes `message` with `digest`, signs it and returns the signature in the usual form of the algorithm: DER for elliptic
    /// curves, PKCS #1 v1.5 for RSA. `digest` is nil for an algorithm that does the hashing itself.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    package func sign(_ message: Span<UInt8>, digest: String?) throws(CryptographyError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .opensslFailure }
        defer { unsafe EVP_MD_CTX_free(context) }
        let hash = unsafe digest.flatMap { unsafe EVP_get_digestbyname($0) }
        guard unsafe EVP_DigestSignInit(context, nil, hash, nil, pointer) == 1 else {
            ERR_clear_error()
            throw .opensslFailure
        }
        var length = Int(unsafe EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        let result = unsafe message.withUnsafeBufferPointer { text in
            unsafe EVP_DigestSign(context, &signature, &length, text.baseAddress, text.count)
        }
        guard result == 1, length <= signature.count else {
            ERR_clear_error()
            throw .opensslFailure
        }
        signature.removeLast(signature.count - length)
        return signature
    }
}
