internal import System

public enum JSONEscape {
    public static func take(_ bytes: Span<UInt8>, _ position: inout Int, into output: inout [UInt8]) {
        guard position < bytes.count else { return }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): takeScalar(bytes, &position, into: &output)
        default: output.append(letter)
        }
    }

    private static func takeScalar(_ bytes: Span<UInt8>, _ position: inout Int, into output: inout [UInt8]) {
        var scalar = unit(bytes, at: position) ?? 0xFFFD
        position = min(position + 4, bytes.count)
        if 0xD800..<0xDC00 ~= scalar, let low = unit(bytes, at: position + 2) {
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (low & 0x3FF)
            position += 6
        }
        output += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
    }

    public static func unit(_ bytes: Span<UInt8>, at offset: Int) -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in offset..<offset + 4 {
            guard let digit = HexadecimalDigits.value(of: bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

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
