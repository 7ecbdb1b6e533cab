internal import COpenSSL

/// Gives random bytes from the kernel's random source, through libcrypto.
public enum RandomBytes {
    /// Returns `count` unpredictable bytes.
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
