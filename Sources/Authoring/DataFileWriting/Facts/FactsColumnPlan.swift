internal import DataFiles

/// How a column is stored: chosen when all of its values have been seen.
struct FactsColumnPlan {
    let kind: ValueKind
    let base: Int64
    let unit: UInt64
    let bitCount: Int
    /// The value from which numbers wait as their distances.
    let first: Int64
    /// Where in the ranks of all columns those of this one begin.
    let firstRank: Int
    /// The file's numbers of the strings that the column lists, ascending; empty when it stores those numbers.
    let listed: [UInt32]

    /// A column of numbers.
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

    /// A column of strings, whose numbers in the file are `numbers`; `UInt32.max` stands for one that is not used.
    /// The column has a list of its own strings when that makes the file smaller: few strings in many rows. What is
    /// stored for each string, by the number under which it waited, is added to `ranks`.
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
