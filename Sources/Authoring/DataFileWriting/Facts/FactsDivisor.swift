/// A divisor for many exact divisions, each at the cost of a multiplication (Granlund and Montgomery 1994, "Division by
/// Invariant Integers using Multiplication", section 9).
struct FactsDivisor {
    /// The divisor, at least 1.
    let number: UInt64
    private let zeroBitCount: UInt64
    private let inverse: UInt64
    private let greatestQuotient: UInt64

    init(_ number: UInt64) {
        self.number = max(number, 1)
        zeroBitCount = UInt64(truncatingIfNeeded: self.number.trailingZeroBitCount)
        let odd = self.number >> zeroBitCount
        // Newton's method modulo 2^64: the first value is right in 3 bits, and each step doubles the number of right bits.
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        self.inverse = inverse
        greatestQuotient = UInt64.max / self.number
    }

    /// Returns the quotient of a dividend that is a multiple of the divisor.
    @inline(__always)
    func quotient(of dividend: UInt64) -> UInt64 {
        let product = dividend &* inverse
        return product &>> zeroBitCount | product &<< (0 &- zeroBitCount)
    }

    /// Returns true when the dividend is a multiple of the divisor.
    @inline(__always)
    func divides(_ dividend: UInt64) -> Bool { quotient(of: dividend) <= greatestQuotient }
}
