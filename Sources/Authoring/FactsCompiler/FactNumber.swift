internal import System

/// Reads whole numbers and truth values without making strings.
enum FactNumber {
    /// As JSON writes whole numbers of 64 bits: no plus, no zero in front, no fraction. Nil for anything else.
    static func integer(_ text: Span<UInt8>) -> Int64? {
        guard text.count > 0 else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // 19 digits are below 2^64 whatever they are, and 20 beyond 2^63.
        guard text.count > start, text.count <= start + 19 else { return nil }
        guard text[start] != UInt8(ascii: "0") || text.count == 1 else { return nil }
        var value: UInt64 = 0
        for index in start..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        // The least number has no positive counterpart.
        guard value <= UInt64(Int64.max) + UInt64(start) else { return nil }
        return Int64(bitPattern: isNegative ? 0 &- value : value)
    }

    /// 1 for `true`, 0 for `false`, nil for anything else.
    @inline(__always)
    static func boolean(_ text: Span<UInt8>) -> Int64? {
        // The letters as a number, the first one lowest.
        switch (text.count, text.shortWord) {
        case (4, 0x6575_7274): 1
        case (5, 0x65_736C_6166): 0
        default: nil
        }
    }
}
