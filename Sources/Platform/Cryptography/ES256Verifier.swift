internal import COpenSSL

/// Checks ES256 signatures (RFC 7518 section 3.4) with one public key and one prepared context, so threads must not share
/// it.
@safe public final class ES256Verifier {
    private let context: OpaquePointer
    /// The length of a signature in bytes: r and s, 32 bytes each, big-endian (RFC 7515 appendix A.3).
    public static let signatureByteCount = 64

    public convenience init(keyOf certificate: Certificate) throws(CryptographyError) {
        guard certificate.keyKind == .p256, let key = unsafe X509_get0_pubkey(certificate.storage.pointer)
        else {
            throw .keyUnsuitable
        }
        unsafe self.init(takingOwnership: try Self.makeContext(for: key))
    }

    init(takingOwnership context: OpaquePointer) {
        unsafe self.context = context
    }

    static func makeContext(for key: OpaquePointer) throws(CryptographyError) -> OpaquePointer {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw .opensslFailure }
        guard unsafe EVP_PKEY_verify_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            throw .opensslFailure
        }
        return unsafe context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    public func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard signature.count == Self.signatureByteCount else { return false }
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var bytes = digest.mutableSpan
        let isHashed = unsafe message.withUnsafeBufferPointer { text in
            unsafe bytes.withUnsafeMutableBufferPointer { output in
                unsafe EVP_Digest(text.baseAddress, text.count, output.baseAddress, nil, SHA256.method, nil)
                    == 1
            }
        }
        guard isHashed else { return false }
        var encoded = InlineArray<72, UInt8>(repeating: 0)
        let length = Self.encodeDER(signature, into: &encoded)
        let result = unsafe encoded.span.withUnsafeBufferPointer { block in
            unsafe digest.span.withUnsafeBufferPointer { hash in
                unsafe EVP_PKEY_verify(context, block.baseAddress, length, hash.baseAddress, hash.count)
            }
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }

    /// Writes SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 section 2.2.3) in its one DER form to `output`. Returns its length,
    /// at most 72 bytes.
    private static func encodeDER(_ signature: Span<UInt8>, into output: inout InlineArray<72, UInt8>) -> Int
    {
        var position = 2
        for start in [0, 32] {
            var first = start
            while first < start + 31, signature[first] == 0 { first += 1 }
            let needsZero = signature[first] >= 0x80
            output[position] = 0x02
            output[position + 1] = UInt8(start + 32 - first) + (needsZero ? 1 : 0)
            position += needsZero ? 3 : 2
            for index in first..<start + 32 {
                output[position] = signature[index]
                position += 1
            }
        }
        output[0] = 0x30
        output[1] = UInt8(position - 2)
        return position
    }

    public convenience init(keyOf key: SigningKey) throws(CryptographyError) {
        let context = try unsafe key.handle.withPointer { pointer throws(CryptographyError) in
            unsafe try Self.makeContext(for: pointer)
        }
        unsafe self.init(takingOwnership: context)
    }

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
