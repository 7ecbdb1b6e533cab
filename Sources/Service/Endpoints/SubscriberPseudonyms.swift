internal import Cryptography

/// Names for subscribers in decision records: the same for the same subscriber wherever the same key is used, and
/// nothing to whoever has not the key.
struct SubscriberPseudonyms {
    private let code: HMACSHA256

    /// `key` is that of `identifierKeyFile`.
    init(key: [UInt8]) {
        code = HMACSHA256(key: key)
    }

    /// The first 16 bytes, in hex, of HMAC-SHA-256 over the identifier; nil when libcrypto fails.
    func pseudonym(of originalTransactionId: String) -> String? {
        guard let digest = try? code.authenticate(originalTransactionId.utf8Span.span) else { return nil }
        return String(digest.description.prefix(32))
    }
}
