/// What has been seen of a column of numbers, for choosing how they are stored.
struct FactsNumberStatistics {
    private(set) var count = 0
    private(set) var least: Int64 = 0
    private(set) var greatest: Int64 = 0
    /// The greatest number that divides every difference; 0 while all values are equal.
    private(set) var step: UInt64 = 0
    private var first: Int64 = 0

    @inline(__always)
    mutating func add(_ value: Int64) {
        if count == 0 {
            (first, least, greatest, count) = (value, value, value, 1)
            return
        }
        count += 1
        least = min(least, value)
        greatest = max(greatest, value)
        guard step != 1 else { return }
        let difference = UInt64(bitPattern: value > first ? value &- first : first &- value)
        if step == 0 || difference % step != 0 { step = Self.commonDivisor(step, difference) }
    }

    /// Euclid's algorithm.
    private static func commonDivisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var (a, b) = (left, right)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
