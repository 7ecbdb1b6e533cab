/// Names for subscribers in decision records: the same for the same subscriber wherever the same ``IdentifierKey`` is
/// used, and nothing to whoever has not the key. Belongs to one thread.
public struct SubscriberPseudonyms {
    private let code: HMACSHA256

    init(code: HMACSHA256) {
        self.code = code
    }

    /// The first 16 bytes, in hexadecimal, of HMAC-SHA-256 over the identifier.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pseudonym(of originalTransactionId: String) throws(CryptographyError) -> String {
        String(try code.authenticate(originalTransactionId.utf8Span.span).hexadecimal.prefix(32))
    }
}
