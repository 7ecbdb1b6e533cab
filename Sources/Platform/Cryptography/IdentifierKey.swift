/// The key that turns subscriber identifiers into the pseudonyms of the decision records (setting `identifierKeyFile`). A
/// key has 32 bytes. Its file holds them as 64 hexadecimal digits, as `openssl rand -hex 32` prints them.
public struct IdentifierKey: Sendable, Hashable, CustomStringConvertible {
    /// The length of a key in bytes.
    public static let byteCount = 32
    /// The length of the longest text of a key in bytes: its digits and a line feed.
    public static let textByteCount = 2 * byteCount + 1

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the 64 digits of a key, with or without a line feed at the end. Returns nil for any other text.
    public init?(text: [UInt8]) {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * Self.byteCount,
            let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(bytes: bytes)
    }

    /// Makes a new key from random bytes.
    ///
    /// - Throws: `cryptography.random-unavailable`.
    public static func make() throws(CryptographyError) -> IdentifierKey {
        IdentifierKey(bytes: try RandomBytes.make(byteCount))
    }

    /// The digits of the key, as ``init(text:)`` reads them, without a line feed. This text is a secret.
    public var text: String { Hexadecimal.encode(bytes.span) }

    /// Returns a fingerprint of the key. It tells whether two logs were written with the same key, and nothing else about the
    /// key: the first 8 bytes, in hexadecimal, of HMAC-SHA-256 with the key over the text `identifierKey`, which is not the
    /// identifier of any subscriber.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func fingerprintText() throws(CryptographyError) -> String {
        let code = try HMACSHA256(key: bytes.span)
        return String(try code.authenticate("identifierKey".utf8Span.span).hexadecimal.prefix(16))
    }

    /// Returns the object that computes pseudonyms of subscribers with this key.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pseudonyms() throws(CryptographyError) -> SubscriberPseudonyms {
        SubscriberPseudonyms(code: try HMACSHA256(key: bytes.span))
    }

    /// The name of the type. The key is never printed.
    public var description: String { "identifier key" }
}
