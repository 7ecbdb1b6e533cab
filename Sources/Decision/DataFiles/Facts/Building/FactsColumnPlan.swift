/// How a column is stored: chosen when all of its values have been seen.
struct FactsColumnPlan {
    let kind: ValueKind
    let base: Int64
    let unit: UInt64
    let bitCount: Int
    /// What is stored for each of the column's strings, by the number under which they waited.
    let ranks: [UInt32]
    /// The file's numbers of the strings that the column lists, ascending; empty when it stores those numbers.
    let listed: [UInt32]

    /// A column of numbers.
    init(kind: ValueKind, _ numbers: FactsNumberStatistics) {
        self.kind = kind
        base = numbers.least
        unit = max(numbers.step, 1)
        let range = UInt64(bitPattern: numbers.greatest &- numbers.least) / unit
        bitCount = UInt64.bitWidth - range.leadingZeroBitCount
        ranks = []
        listed = []
    }

    /// A column of strings, whose numbers in the file are `numbers`; `UInt32.max` stands for one that is not used.
    /// The column has a list of its own strings when that makes the file smaller: few strings in many rows.
    init(strings numbers: [UInt32], rowCount: Int) {
        kind = .string
        unit = 1
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
            ranks = numbers.map { places[$0] ?? 0 }
        } else {
            base = Int64(least)
            bitCount = directBits
            listed = []
            ranks = numbers.map { $0 == .max ? 0 : $0 - least }
        }
    }

    private static func bits(of number: UInt32) -> Int { UInt32.bitWidth - number.leadingZeroBitCount }

    /// The stored form of a value as it waited.
    @inline(__always)
    func stored(_ waiting: UInt64) -> UInt64 {
        switch kind {
        case .string: UInt64(ranks[Int(truncatingIfNeeded: waiting)])
        case .date: scaled(FactsNumberCode.unfoldedDate(waiting))
        case .integer, .boolean: scaled(FactsNumberCode.unfolded(waiting))
        }
    }

    @inline(__always)
    private func scaled(_ value: Int64) -> UInt64 {
        let distance = UInt64(bitPattern: value &- base)
        return unit == 1 ? distance : distance / unit
    }
}
