/// A universally unique identifier (RFC 9562), kept as two integers and printed in lower case.
public struct UUID: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

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

    /// The 36-character form in lower case.
    public var description: String {
        var text = TextBuffer(reservingByteCount: 64)
        text.append(self)
        return text.string
    }
}
