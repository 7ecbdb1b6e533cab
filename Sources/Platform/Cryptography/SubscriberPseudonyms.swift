public import Vocabulary

/// Computes the pseudonyms of subscribers in decision records. A subscriber has the same pseudonym wherever the same
/// ``IdentifierKey`` is used. Without the key, a pseudonym tells nothing. Use the value on one thread only.
///
/// A pseudonym is the first 16 bytes, in hexadecimal, of HMAC-SHA-256 over the identifier.
public struct SubscriberPseudonyms {
    private let code: HMACSHA256

    init(code: HMACSHA256) {
        self.code = code
    }

    /// Returns the pseudonym.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pseudonym(of originalTransactionId: String) throws(CryptographyError) -> String {
        var text = TextBuffer(reservingByteCount: 32)
        try append(pseudonymOf: originalTransactionId.utf8Span.span, to: &text)
        return text.string
    }

    /// Appends the pseudonym of an identifier, which is given as UTF-8, to `text`.
    ///
    /// - Throws: `cryptography.openssl-failure`. Nothing is appended then.
    public func append(pseudonymOf originalTransactionId: Span<UInt8>, to text: inout TextBuffer)
        throws(CryptographyError)
    {
        let words = try code.authenticate(originalTransactionId).words
        for half in 0..<4 {
            let number = UInt32(truncatingIfNeeded: words[half / 2] >> (half % 2 == 0 ? 32 : 0))
            text.append(word: HexadecimalDigits.eight(number))
        }
    }
}
