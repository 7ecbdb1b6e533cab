internal import System

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

/// Statistics of a column of numbers, from which its storage is planned.
struct FactsNumberStatistics {
    /// The first value. Waiting rows hold the other values as distances from it.
    private(set) var first: Int64 = 0
    private(set) var least: Int64 = 0
    private(set) var greatest: Int64 = 0
    /// The greatest common divisor of all differences; 0 while all values are equal.
    private(set) var step: UInt64 = 0
    private var divisor = FactsDivisor(1)
    private var isEmpty = true

    @inline(__always)
    mutating func add(_ value: Int64) {
        if isEmpty {
            (first, least, greatest, isEmpty) = (value, value, value, false)
            return
        }
        least = min(least, value)
        greatest = max(greatest, value)
        guard step != 1 else { return }
        let difference = UInt64(bitPattern: value > first ? value &- first : first &- value)
        if step == 0 || !divisor.divides(difference) { narrow(difference) }
    }

    /// Lowers the step, by Euclid's algorithm, for a difference that is not a multiple of it.
    private mutating func narrow(_ difference: UInt64) {
        var (a, b) = (step, difference)
        while b != 0 { (a, b) = (b, a % b) }
        step = a
        divisor = FactsDivisor(a)
    }
}

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

/// Writes values of any bit length one after the other, in words of 64 bits.
struct FactsBitWriter {
    /// The offset of the next word.
    private(set) var end: Int
    /// The bits that are not written yet; they are the lowest ``waitingCount`` bits.
    private(set) var waiting: UInt64
    private(set) var waitingCount: Int

    /// Starts at `offset` with `bitCount` bits that are put first.
    @inline(__always)
    init(at offset: Int, beginningWith bits: UInt64, bitCount: Int) {
        end = offset
        waiting = bits
        waitingCount = bitCount
    }

    /// Appends a value of `bitCount` bits.
    @inline(__always)
    mutating func put(_ value: UInt64, bitCount: Int, into bytes: inout MutableSpan<UInt8>) {
        // A shift by 64 gives 0, which is right here.
        waiting |= value << UInt64(truncatingIfNeeded: waitingCount)
        waitingCount &+= bitCount
        guard waitingCount >= 64 else { return }
        bytes.put(waiting, at: end)
        end &+= 8
        waitingCount &-= 64
        waiting = value >> UInt64(truncatingIfNeeded: bitCount &- waitingCount)
    }
}

extension RawSpan {
    /// Returns `count` bits, at most 64, from bit `first` on; the lowest bit of each byte comes first. `mask` has
    /// `count` ones. Returns nil when the eight bytes from the byte of the first bit on are not all inside the span.
    @inline(__always)
    func bits(first: Int, count: Int, mask: UInt64) -> UInt64? {
        let start = first >> 3
        let shift = UInt64(truncatingIfNeeded: first & 7)
        guard var word = uint64(at: start) else { return nil }
        word &>>= shift
        if count &+ first & 7 > 64 {
            guard let rest = uint8(at: start &+ 8) else { return nil }
            word |= UInt64(rest) << (64 &- shift)
        }
        return word & mask
    }
}
