/// Encodes and decodes base64url without padding, as JWS uses it (RFC 7515 section 2, RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet = Base64Alphabet(last: "-_")

    /// Returns the text for `bytes`.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        encode(bytes, appendingTo: &text)
        return text
    }

    /// Appends the text for `bytes` to `text`.
    public static func encode(_ bytes: Span<UInt8>, appendingTo text: inout [UInt8]) {
        alphabet.encode(bytes, appendingTo: &text)
    }

    /// Returns the length of the text for so many bytes.
    public static func encodedCount(of byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

    /// Decodes `text` and replaces the contents of `output` by the bytes.
    ///
    /// The function is strict: it refuses padding, characters of another alphabet, white space and trailing bits that are
    /// not zero. An empty text gives no bytes.
    ///
    /// - Returns: false when `text` is refused; the contents of `output` are then meaningless.
    public static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        alphabet.decode(text, into: &output)
    }

    /// Decodes `text` and returns the bytes, or nil when ``decode(_:into:)`` refuses it.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        return decode(text, into: &output) ? output : nil
    }
}

/// Encodes and decodes base64 with padding, as `x5c` uses it (RFC 7515 section 4.1.6, RFC 4648 section 4).
public enum Base64 {
    private static let alphabet = Base64Alphabet(last: "+/")

    /// Returns the value of a character, 0 to 63, or nil when the character is not in the alphabet.
    static func value(of character: UInt8) -> UInt8? { alphabet.value(of: character) }

    /// Returns the padded text for `bytes`.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        alphabet.encode(bytes, appendingTo: &text)
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Decodes `text` and returns the bytes. Returns nil unless `text` consists of characters of the standard alphabet, padded
    /// to a multiple of four, without white space and with trailing bits of zero.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        var output: [UInt8] = []
        return alphabet.decode(text.extracting(first: length), into: &output) ? output : nil
    }
}
