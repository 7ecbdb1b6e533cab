public enum HexadecimalDigits {
    /// Returns the value of a digit in upper or lower case, 0 to 15. Returns nil for any other byte.
    @inlinable
    public static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the lower-case digit of a value from 0 to 15.
    @inlinable
    public static func digit(of value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value & 15) - 10
    }

    /// Returns the eight digits of a number in lower case, as ASCII. The first digit is in the lowest byte.
    @inlinable
    public static func eight(_ number: UInt32) -> UInt64 {
        // Each step moves the upper half of every part behind its lower half, until each byte has one digit.
        var digits = UInt64(number)
        digits = (digits & 0xFFFF) << 32 | digits >> 16
        digits = (digits & 0x0000_00FF_0000_00FF) << 16 | digits >> 8 & 0x0000_00FF_0000_00FF
        digits = (digits & 0x000F_000F_000F_000F) << 8 | digits >> 4 & 0x000F_000F_000F_000F
        let isLetter = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
    }

    /// Writes a number with at least `count` digits.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - count: the number of digits that are filled with zeros.
    ///   - uppercase: true for A to F, false for a to f.
    /// - Returns: the digits.
    public static func text(of number: some UnsignedInteger, count: Int, uppercase: Bool = false) -> String {
        let digits = String(number, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
