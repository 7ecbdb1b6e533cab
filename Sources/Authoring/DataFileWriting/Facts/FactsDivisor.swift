/// A number to divide by many times where nothing remains, at the cost of a product (Granlund and Montgomery 1994,
/// "Division by Invariant Integers using Multiplication", section 9).
struct FactsDivisor {
    /// At least 1.
    let number: UInt64
    private let zeroBitCount: UInt64
    private let inverse: UInt64
    private let greatestQuotient: UInt64

    init(_ number: UInt64) {
        self.number = max(number, 1)
        zeroBitCount = UInt64(truncatingIfNeeded: self.number.trailingZeroBitCount)
        let odd = self.number >> zeroBitCount
        // Newton's method in numbers of 64 bits: right in 3 bits at first, in twice as many after each step.
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        self.inverse = inverse
        greatestQuotient = UInt64.max / self.number
    }

    /// The quotient where nothing remains.
    @inline(__always)
    func quotient(of dividend: UInt64) -> UInt64 {
        let product = dividend &* inverse
        return product &>> zeroBitCount | product &<< (0 &- zeroBitCount)
    }

    /// Whether nothing remains.
    @inline(__always)
    func divides(_ dividend: UInt64) -> Bool { quotient(of: dividend) <= greatestQuotient }
}
