internal import DataFiles
internal import System

/// The layout of the rows in the file.
struct FactsRowShape {
    /// A column. It holds only numbers, so that packing a value counts no references.
    struct Column {
        let kind: ValueKind
        let firstBit: Int
        let bitCount: Int
        /// The number that is subtracted from the distance under which a value waits.
        let base: Int64
        let divisor: FactsDivisor
        let firstRank: Int
    }

    let columns: [Column]
    let rowByteCount: Int
    /// The stored value of each string, column after column, and a 0 at the end for missing values.
    private let ranks: [UInt32]

    init(_ plans: [FactsColumnPlan], ranks: [UInt32]) {
        var bits = plans.count
        columns = plans.map { plan in
            defer { bits += plan.bitCount }
            return Column(
                kind: plan.kind, firstBit: bits, bitCount: plan.bitCount, base: plan.base &- plan.first,
                divisor: FactsDivisor(plan.unit), firstRank: plan.firstRank)
        }
        rowByteCount = (bits + 7) / 8
        self.ranks = ranks + [0]
    }

    /// Packs the row that waits at `offset` and writes it at `end`. The bytes after the packed row are overwritten too.
    @inline(__always)
    func pack(
        _ form: FactsRowForm, _ waiting: RawSpan, at offset: Int, into bytes: inout MutableSpan<UInt8>,
        at end: Int
    ) {
        let columns = columns.span
        let places = form.places.span
        let ranks = ranks.span
        let present = form.present(waiting, at: offset)
        var writer = FactsBitWriter(at: end, beginningWith: present, bitCount: columns.count)
        for index in columns.indices {
            let column = columns[index]
            let value = form.value(places[index + 1], waiting, at: offset)
            let stored: UInt64 =
                switch column.kind {
                case .string: UInt64(ranks[column.firstRank &+ Int(truncatingIfNeeded: value)])
                case .date: column.stored(FactsNumberCode.unfoldedDate(value))
                case .integer, .boolean: column.stored(FactsNumberCode.unfolded(value))
                }
            // A missing value is stored as 0. A mask is faster than a branch, since the processor cannot predict which
            // values are missing.
            let mask = 0 &- (present &>> UInt64(truncatingIfNeeded: index) & 1)
            writer.put(stored & mask, bitCount: column.bitCount, into: &bytes)
        }
        bytes.put(writer.waiting, at: writer.end)
    }
}

extension FactsRowShape.Column {
    @inline(__always)
    fileprivate func stored(_ distance: Int64) -> UInt64 {
        divisor.quotient(of: UInt64(bitPattern: distance &- base))
    }
}
