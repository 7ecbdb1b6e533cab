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
