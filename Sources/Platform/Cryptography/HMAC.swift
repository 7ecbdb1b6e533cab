internal import COpenSSL

/// Computes HMAC-SHA-256 (RFC 2104) with one key.
///
/// The object holds a prepared libcrypto context, which makes every use after the first cheap. Because of the context,
/// threads must not share it.
@safe public final class HMACSHA256: CustomStringConvertible {
    private let context: OpaquePointer

    /// Prepares the context with `key`, which is usually 32 random bytes.
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

    /// Returns the authentication code of `bytes`, 32 bytes.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func authenticate(_ bytes: Span<UInt8>) throws(CryptographyError) -> SHA256Digest {
        var words = [4 of UInt64](repeating: 0)
        var code = words.mutableSpan
        let isDone = unsafe bytes.withUnsafeBufferPointer { message -> Bool in
            unsafe code.withUnsafeMutableBytes { output -> Bool in
                var written = 0
                // A call without a key keeps the key that was set before.
                return unsafe EVP_MAC_init(context, nil, 0, nil) == 1
                    && EVP_MAC_update(context, message.baseAddress, message.count) == 1
                    && EVP_MAC_final(context, output.baseAddress, &written, output.count) == 1
                    && written == output.count
            }
        }
        guard isDone else { throw .opensslFailure }
        for index in 0..<4 { words[index] = UInt64(bigEndian: words[index]) }
        return SHA256Digest(words: words)
    }

    /// The kind of the key. The key itself is never printed.
    public var description: String { "HMAC-SHA-256 key" }
}
