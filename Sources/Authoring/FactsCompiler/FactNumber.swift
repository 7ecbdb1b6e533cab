internal import System

/// Reads whole numbers and Booleans without creating strings.
enum FactNumber {
    /// Returns the value of a 64-bit whole number in JSON form: no plus sign, no leading zero, no fraction. Returns nil
    /// for any other text.
    static func integer(_ text: Span<UInt8>) -> Int64? {
        guard text.count > 0 else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // Every number of 19 digits is below 2^64, and every number of 20 digits is above 2^63.
        guard text.count > start, text.count <= start + 19 else { return nil }
        guard text[start] != UInt8(ascii: "0") || text.count == 1 else { return nil }
        var value: UInt64 = 0
        for index in start..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        // The least number, -2^63, has no positive counterpart.
        guard value <= UInt64(Int64.max) + UInt64(start) else { return nil }
        return Int64(bitPattern: isNegative ? 0 &- value : value)
    }

    /// Returns 1 for `true`, 0 for `false`, and nil for any other text.
    @inline(__always)
    static func boolean(_ text: Span<UInt8>) -> Int64? {
        // The constants are the letters as a number, with the first letter in the lowest byte.
        switch (text.count, text.shortWord) {
        case (4, 0x6575_7274): 1
        case (5, 0x65_736C_6166): 0
        default: nil
        }
    }
}
