internal import COpenSSL

/// The SHA-256 of the first bytes of many texts. It hashes those bytes once, and each text only from there on.
///
/// Threads must not share the object, because it has a context for the text at hand.
@safe public final class SHA256Prefix {
    private let beginning: OpaquePointer
    private let context: OpaquePointer

    /// Hashes the bytes that all texts begin with.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public init(_ bytes: Span<UInt8>) throws(CryptographyError) {
        guard let beginning = unsafe EVP_MD_CTX_new() else { throw .opensslFailure }
        guard let context = unsafe EVP_MD_CTX_new() else {
            unsafe EVP_MD_CTX_free(beginning)
            throw .opensslFailure
        }
        unsafe self.beginning = beginning
        unsafe self.context = context
        let isHashed = unsafe bytes.withUnsafeBufferPointer { block in
            unsafe EVP_DigestInit_ex(beginning, SHA256.method, nil) == 1
                && EVP_DigestUpdate(beginning, block.baseAddress, block.count) == 1
        }
        guard isHashed else { throw .opensslFailure }
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
        unsafe EVP_MD_CTX_free(beginning)
    }

    /// Writes the digest of the beginning and `rest` to `digest`. Returns false when libcrypto fails.
    func hash(_ rest: Span<UInt8>, into digest: inout ES256Verifier.Digest) -> Bool {
        var bytes = digest.mutableSpan
        return unsafe rest.withUnsafeBufferPointer { block in
            unsafe bytes.withUnsafeMutableBufferPointer { output in
                unsafe EVP_MD_CTX_copy_ex(context, beginning) == 1
                    && EVP_DigestUpdate(context, block.baseAddress, block.count) == 1
                    && EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1
            }
        }
    }
}
