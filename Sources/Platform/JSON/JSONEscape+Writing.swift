internal import Vocabulary

extension JSONEscape {
    /// Returns the JSON text with every active character (``DisplayText``) above U+001F replaced by its escape, such as
    /// `\u202E`. Such characters occur only in strings, where the escape means the same. jansson has already escaped U+0000
    /// to U+001F.
    static func escapingActive(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: mayBeginActive) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 64)
        var position = 0
        while position < text.count {
            let byte = text[position]
            let length = mayBeginActive(byte) ? byteCount(byte) : 1
            if length <= text.count - position, let scalar = scalar(text[position..<position + length]),
                mayBeginActive(byte), DisplayText.isActive(scalar)
            {
                append(scalar, to: &result)
            } else {
                result += text[position..<min(position + length, text.count)]
            }
            position += length
        }
        return result
    }

    /// Appends a character of the Basic Multilingual Plane as `\u` and four upper-case digits, as jansson does.
    static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
        text += (#"\u"# + HexadecimalDigits.text(of: scalar.value, count: 4, uppercase: true)).utf8
    }

    /// Returns true for a byte with which an active character above U+001F begins in UTF-8. Few other characters begin with
    /// such a byte.
    private static func mayBeginActive(_ byte: UInt8) -> Bool {
        byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2 || byte == 0xEF
    }

    private static func byteCount(_ first: UInt8) -> Int { first < 0x80 ? 1 : first < 0xE0 ? 2 : 3 }

    private static func scalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }
}
