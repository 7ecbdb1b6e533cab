/// How a column is stored. The plan is made when all values of the column are known.
struct FactsColumnPlan {
    let kind: ValueKind
    let base: Int64
    let unit: UInt64
    let bitCount: Int
    /// The first value of the column. Waiting rows hold each number as its distance from this value.
    let first: Int64
    /// The place in the ranks of all columns at which the ranks of this column begin.
    let firstRank: Int
    /// The numbers, in the file, of the strings in the column's own list, ascending. Empty when the rows store these
    /// numbers themselves.
    let listed: [UInt32]

    /// Plans a column of numbers, dates or Booleans.
    init(kind: ValueKind, _ numbers: FactsNumberStatistics) {
        self.kind = kind
        first = numbers.first
        firstRank = 0
        base = numbers.least
        unit = max(numbers.step, 1)
        let range = UInt64(bitPattern: numbers.greatest &- numbers.least) / unit
        bitCount = UInt64.bitWidth - range.leadingZeroBitCount
        listed = []
    }

    /// Plans a column of strings. `numbers` holds the number of each string in the file, or `UInt32.max` for an unused string.
    ///
    /// The column gets its own list of strings when that makes the file smaller, as it does with few strings in many rows. The
    /// stored value of each string is appended to `ranks`, in the order of the strings' numbers in the column.
    init(strings numbers: [UInt32], rowCount: Int, ranks: inout [UInt32]) {
        kind = .string
        unit = 1
        first = 0
        firstRank = ranks.count
        let used = numbers.filter { $0 != .max }.sorted()
        let least = used.first ?? 0
        let directBits = Self.bits(of: (used.last ?? 0) - least)
        let listedBits = Self.bits(of: UInt32(max(used.count, 1) - 1))
        let listByteCount = used.count * 4
        let saved = (directBits - listedBits).multipliedReportingOverflow(by: rowCount).partialValue / 8
        if used.count > 0, saved > listByteCount {
            base = 0
            bitCount = listedBits
            listed = used
            var places: [UInt32: UInt32] = [:]
            places.reserveCapacity(used.count)
            for (place, number) in used.enumerated() { places[number] = UInt32(place) }
            ranks += numbers.lazy.map { places[$0] ?? 0 }
        } else {
            base = Int64(least)
            bitCount = directBits
            listed = []
            ranks += numbers.lazy.map { $0 == .max ? 0 : $0 - least }
        }
    }

    private static func bits(of number: UInt32) -> Int { UInt32.bitWidth - number.leadingZeroBitCount }
}
