internal import COpenSSL

/// Multiples of one public key on P-256, computed beforehand. With them, a check of a signature takes half the time.
///
/// The table takes 150 KB and, once, the time of about 330 checks without it. It holds nothing secret. Threads must not share it.
@safe final class P256KeyTable {
    private let table: UnsafeMutablePointer<rt_key_table>

    /// What a check found.
    enum Verdict: Int32 {
        case valid = 1
        case invalid = 0
        /// libcrypto failed, for example for lack of memory. The signature may be valid.
        case undecided = -1
    }

    /// Makes the table of `key`. Returns nil when the key is not on P-256, and when libcrypto cannot make such a table.
    init?(key: OpaquePointer) {
        defer { ERR_clear_error() }
        var point = InlineArray<65, UInt8>(repeating: 0)
        var output = point.mutableSpan
        let table = unsafe output.withUnsafeMutableBufferPointer { block in
            var length = 0
            guard
                unsafe EVP_PKEY_get_octet_string_param(
                    key,
                    OSSL_PKEY_PARAM_PUB_KEY,
                    block.baseAddress,
                    block.count,
                    &length
                ) == 1
            else { return unsafe nil as UnsafeMutablePointer<rt_key_table>? }
            return unsafe rt_key_table_new(block.baseAddress, length)
        }
        guard let table = unsafe table else { return nil }
        unsafe self.table = table
    }

    deinit {
        unsafe rt_key_table_free(table)
    }

    /// Checks a signature (r and s, 32 bytes each, big-endian) of a message with this SHA-256. A signature that is not 64
    /// bytes long is invalid.
    func verdict(_ signature: Span<UInt8>, of digest: ES256Verifier.Digest) -> Verdict {
        guard signature.count == ES256Verifier.signatureByteCount else { return .invalid }
        let result = unsafe signature.withUnsafeBufferPointer { block in
            unsafe digest.span.withUnsafeBufferPointer { hash in
                unsafe rt_key_table_check(table, block.baseAddress, hash.baseAddress)
            }
        }
        if result < 0 { ERR_clear_error() }
        return Verdict(rawValue: result) ?? .undecided
    }
}
