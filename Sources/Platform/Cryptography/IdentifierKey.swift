internal import COpenSSL
public import System

/// The key that turns subscriber identifiers into the pseudonyms of the decision records (setting `identifierKeyFile`). A
/// key has 32 bytes. Its file holds them as 64 hexadecimal digits, as `openssl rand -hex 32` prints them.
public struct IdentifierKey: Sendable, Hashable, CustomStringConvertible {
    public static let byteCount = 32
    public static let textByteCount = 2 * byteCount + 1

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    public init?(text: [UInt8]) {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * Self.byteCount,
            let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(bytes: bytes)
    }

    public static func make() -> IdentifierKey { IdentifierKey(bytes: RandomBytes.make(byteCount)) }

    /// The digits of the key, as ``init(text:)`` reads them, without a line feed. This text is a secret.
    public var text: String { Hexadecimal.encode(bytes.span) }

    /// Returns a fingerprint of the key. It tells whether two logs were written with the same key, and nothing else about
    /// the key: the first 8 bytes, in hexadecimal, of HMAC-SHA-256 with the key over the text `identifierKey`, which is not
    /// the identifier of any subscriber.
    public func fingerprintText() throws(CryptographyError) -> String {
        let code = try HMACSHA256(key: bytes.span)
        return String(try code.authenticate("identifierKey".utf8Span.span).hexadecimal.prefix(16))
    }

    public func pseudonyms() throws(CryptographyError) -> SubscriberPseudonyms {
        SubscriberPseudonyms(code: try HMACSHA256(key: bytes.span))
    }

    public var description: String { "identifier key" }
}

/// Computes the pseudonyms of subscribers in decision records: the first 16 bytes, in hexadecimal, of HMAC-SHA-256 over the
/// identifier. For one thread.
public struct SubscriberPseudonyms {
    private let code: HMACSHA256

    init(code: HMACSHA256) {
        self.code = code
    }

    public func pseudonym(of originalTransactionId: String) throws(CryptographyError) -> String {
        var text = TextBuffer(reservingByteCount: 32)
        try append(pseudonymOf: originalTransactionId.utf8Span.span, to: &text)
        return text.string
    }

    public func append(pseudonymOf originalTransactionId: Span<UInt8>, to text: inout TextBuffer)
        throws(CryptographyError)
    {
        let words = try code.authenticate(originalTransactionId).words
        text.append(hexadecimal: words[0], digitCount: 16)
        text.append(hexadecimal: words[1], digitCount: 16)
    }
}

/// Computes HMAC-SHA-256 (RFC 2104) with one key and one prepared context, so threads must not share it.
@safe public final class HMACSHA256: CustomStringConvertible {
    private let context: OpaquePointer

    public init(key: Span<UInt8>) throws(CryptographyError) {
        guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { throw .opensslFailure }
        // The context keeps its own reference to the algorithm.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { throw .opensslFailure }
        let result = unsafe key.withUnsafeBufferPointer { block in
            unsafe rt_hmac_sha256_init(context, block.baseAddress, block.count)
        }
        guard result == 1 else {
            unsafe EVP_MAC_CTX_free(context)
            throw .opensslFailure
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    public func authenticate(_ bytes: Span<UInt8>) throws(CryptographyError) -> SHA256Digest {
        var words = [4 of UInt64](repeating: 0)
        var code = words.mutableSpan
        let isDone = unsafe bytes.withUnsafeBufferPointer { message -> Bool in
            unsafe code.withUnsafeMutableBytes { output -> Bool in
                var written = 0
                // A call without a key keeps the key that was set before.
                return unsafe EVP_MAC_init(context, nil, 0, nil) == 1
                    && EVP_MAC_update(context, message.baseAddress, message.count) == 1
                    && EVP_MAC_final(context, output.baseAddress, &written, output.count) == 1
                    && written == output.count
            }
        }
        guard isDone else { throw .opensslFailure }
        for index in 0..<4 { words[index] = UInt64(bigEndian: words[index]) }
        return SHA256Digest(words: words)
    }

    public var description: String { "HMAC-SHA-256 key" }
}
