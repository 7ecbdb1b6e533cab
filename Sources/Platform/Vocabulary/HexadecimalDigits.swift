/// Reads and writes hexadecimal digits.
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

    /// Writes a number with at least `count` digits.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - count: the number of digits that are filled with zeros.
    ///   - uppercase: true for A to F, false for a to f.
    /// - Returns: the digits.
    public static func text(
        of number: some UnsignedInteger,
        count: Int,
        uppercase: Bool = false
    ) -> String {
        let digits = String(number, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
