internal import COpenSSL

/// HMAC-SHA-256 (RFC 2104) with one key.
public struct HMACSHA256: Sendable, CustomStringConvertible {
    private let key: [UInt8]

    /// Takes the key; 32 random bytes are the usual length.
    public init(key: [UInt8]) {
        self.key = key
    }

    /// The authentication code of `bytes`, 32 bytes.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func authenticate(_ bytes: Span<UInt8>) throws(CryptographyError) -> SHA256Digest {
        var code = [UInt8](repeating: 0, count: 32)
        let done = unsafe bytes.withUnsafeBufferPointer { message -> Bool in
            unsafe code.withUnsafeMutableBufferPointer { output -> Bool in
                let written = unsafe EVP_Q_mac(
                    nil,
                    "HMAC",
                    nil,
                    "SHA256",
                    nil,
                    key,
                    key.count,
                    message.baseAddress,
                    message.count,
                    output.baseAddress,
                    output.count,
                    nil
                )
                return unsafe written != nil
            }
        }
        guard done, let digest = SHA256Digest(bytes: code.span) else { throw .opensslFailure }
        return digest
    }

    /// Never the key.
    public var description: String { "HMAC-SHA-256 key" }
}

/// The kernel's random source, through libcrypto.
public enum RandomBytes {
    /// `count` unpredictable bytes.
    ///
    /// - Throws: `cryptography.random-unavailable`.
    public static func make(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe bytes.withUnsafeMutableBufferPointer { block in
            unsafe RAND_bytes(block.baseAddress, Int32(clamping: block.count))
        }
        guard result == 1 else { throw .randomUnavailable }
        return bytes
    }
}
