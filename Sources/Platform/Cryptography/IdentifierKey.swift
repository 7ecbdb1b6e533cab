/// The key that turns subscriber identifiers into those of the decision records (`identifierKeyFile`): 32 bytes, in a
/// file as 64 hexadecimal digits, as `openssl rand -hex 32` prints them.
public struct IdentifierKey: Sendable, Hashable, CustomStringConvertible {
    /// The length of a key.
    public static let byteCount = 32
    /// The length of the longest text of a key: its digits and the end of the line.
    public static let textByteCount = 2 * byteCount + 1

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the text of a key, with or without a line feed at its end; nil when it is anything else.
    public init?(text: [UInt8]) {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * Self.byteCount,
            let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(bytes: bytes)
    }

    /// Makes a key.
    ///
    /// - Throws: `cryptography.random-unavailable`.
    public static func make() throws(CryptographyError) -> IdentifierKey {
        IdentifierKey(bytes: try RandomBytes.make(byteCount))
    }

    /// The key as ``init(text:)`` reads it, without a line feed: a secret.
    public var text: String { Hexadecimal.encode(bytes.span) }

    /// Says whether two logs were written with the same key, and nothing else of it: the first 8 bytes, in hexadecimal, of
    /// HMAC-SHA-256 with the key over the text `identifierKey`, which is no subscriber.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func fingerprintText() throws(CryptographyError) -> String {
        let code = try HMACSHA256(key: bytes.span)
        return String(try code.authenticate("identifierKey".utf8Span.span).hexadecimal.prefix(16))
    }

    /// What names subscribers with this key.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pseudonyms() throws(CryptographyError) -> SubscriberPseudonyms {
        SubscriberPseudonyms(code: try HMACSHA256(key: bytes.span))
    }

    /// Never the key.
    public var description: String { "identifier key" }
}
