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
        String(try code.authenticate(originalTransactionId.utf8Span.span).hexadecimal.prefix(32))
    }
}
