/// A universally unique identifier (RFC 9562), kept as two integers and printed in lower case.
public struct UUID: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Makes an identifier from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the 36-character form, 8-4-4-4-12 hexadecimal digits in upper or lower case. Returns nil for any other text.
    public init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = HexadecimalDigits.value(of: byte) else { return nil }
            if index < 18 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
        }
        self.init(high: high, low: low)
    }

    /// Reads the 36-character form. Returns nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    /// The 36-character form in lower case, as ASCII bytes.
    public var utf8: [36 of UInt8] {
        var text = [36 of UInt8](repeating: UInt8(ascii: "-"))
        var position = 0
        for nibble in 0..<32 {
            if position == 8 || position == 13 || position == 18 || position == 23 { position += 1 }
            let half = nibble < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - (nibble & 15) * 4)) & 15
            text[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
            position += 1
        }
        return text
    }

    /// The 36-character form in lower case.
    public var description: String {
        let text = utf8
        return String(decoding: (0..<36).map { text[$0] }, as: UTF8.self)
    }
}
