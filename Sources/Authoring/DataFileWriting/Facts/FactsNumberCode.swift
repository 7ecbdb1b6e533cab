/// Codes for the numbers of waiting rows: a number near zero has a small code, which needs few bits.
enum FactsNumberCode {
    /// Returns the code of a signed number: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
    @inline(__always)
    static func folded(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }

    @inline(__always)
    static func unfolded(_ code: UInt64) -> Int64 {
        Int64(bitPattern: code >> 1) ^ -Int64(bitPattern: code & 1)
    }

    /// Returns the code of a date. The two lowest bits tell its unit: 0 days, 1 seconds, 2 milliseconds. Dates are far
    /// below 2^61, so they fit.
    @inline(__always)
    static func foldedDate(_ milliseconds: Int64) -> UInt64 {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        guard rest == 0 else { return folded(milliseconds) << 2 | 2 }
        let (days, part) = seconds.quotientAndRemainder(dividingBy: 86_400)
        return part == 0 ? folded(days) << 2 : folded(seconds) << 2 | 1
    }

    @inline(__always)
    static func unfoldedDate(_ code: UInt64) -> Int64 {
        let number = unfolded(code >> 2)
        switch code & 3 {
        case 0: return number &* 86_400_000
        case 1: return number &* 1000
        default: return number
        }
    }
}
