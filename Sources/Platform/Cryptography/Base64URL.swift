/// base64url without padding, as JWS has it (RFC 7515 section 2, RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet = Base64Alphabet(last: "-_")

    /// The text for `bytes`.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] { alphabet.encode(bytes) }

    /// Replaces what `output` holds by the bytes that `text` stands for.
    ///
    /// Strict: no padding, no other alphabet, no white space, no trailing bits other than zero. An empty text stands
    /// for no bytes.
    ///
    /// - Returns: false when `text` is not of that form; `output` is then meaningless.
    public static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        alphabet.decode(text, into: &output)
    }

    /// The bytes that `text` stands for; nil when it is not of the strict form.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        return decode(text, into: &output) ? output : nil
    }
}

/// base64 with its padding, as `x5c` has it (RFC 7515 section 4.1.6, RFC 4648 section 4).
public enum Base64 {
    private static let alphabet = Base64Alphabet(last: "+/")

    /// What a character stands for; nil for one that is not of the alphabet.
    static func value(of character: UInt8) -> UInt8? { alphabet.value(of: character) }

    /// The padded text for `bytes`.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text = alphabet.encode(bytes)
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// The bytes that `text` stands for; nil unless it is padded to a multiple of four characters of the standard
    /// alphabet, without white space, with trailing bits of zero.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        var output: [UInt8] = []
        return alphabet.decode(text.extracting(first: length), into: &output) ? output : nil
    }
}
