internal import COpenSSL

/// HMAC-SHA-256 (RFC 2104) with one key.
///
/// Holds a prepared libcrypto context, which is what makes the second use cheap; therefore not shared between
/// threads.
@safe public final class HMACSHA256: CustomStringConvertible {
    private let context: OpaquePointer

    /// Takes the key; 32 random bytes are the usual length.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public init(key: Span<UInt8>) throws(CryptographyError) {
        guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { throw .opensslFailure }
        // The context keeps its own reference to the algorithm.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { throw .opensslFailure }
        let result = unsafe key.withUnsafeBufferPointer { block in
            unsafe rt_hmac_sha256_init(context, block.baseAddress, block.count)
        }
        guard result == 1 else {
            unsafe EVP_MAC_CTX_free(context)
            throw .opensslFailure
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    /// The authentication code of `bytes`, 32 bytes.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func authenticate(_ bytes: Span<UInt8>) throws(CryptographyError) -> SHA256Digest {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = unsafe bytes.withUnsafeBufferPointer { message -> Bool in
            unsafe code.withUnsafeMutableBufferPointer { output -> Bool in
                var written = 0
                // Without a key, the one before stays.
                return unsafe EVP_MAC_init(context, nil, 0, nil) == 1
                    && EVP_MAC_update(context, message.baseAddress, message.count) == 1
                    && EVP_MAC_final(context, output.baseAddress, &written, output.count) == 1
            }
        }
        guard isDone, let digest = SHA256Digest(bytes: code.span) else { throw .opensslFailure }
        return digest
    }

    /// Never the key.
    public var description: String { "HMAC-SHA-256 key" }
}
