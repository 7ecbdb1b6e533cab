internal import Vocabulary

/// Computes the pseudonyms of subscribers in decision records. A subscriber has the same pseudonym wherever the same
/// ``IdentifierKey`` is used. Without the key, a pseudonym tells nothing. Use the value on one thread only.
public struct SubscriberPseudonyms {
    private let code: HMACSHA256

    init(code: HMACSHA256) {
        self.code = code
    }

    /// Returns the pseudonym: the first 16 bytes, in hexadecimal, of HMAC-SHA-256 over the identifier.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pseudonym(of originalTransactionId: String) throws(CryptographyError) -> String {
        let words = try code.authenticate(originalTransactionId.utf8Span.span).words
        return unsafe String(unsafeUninitializedCapacity: 32) { text in
            let text = UnsafeMutableRawBufferPointer(text)
            for half in 0..<4 {
                let number = UInt32(truncatingIfNeeded: words[half / 2] >> (half % 2 == 0 ? 32 : 0))
                let digits = HexadecimalDigits.eight(number).littleEndian
                unsafe text.storeBytes(of: digits, toByteOffset: half * 8, as: UInt64.self)
            }
            return 32
        }
    }
}
