internal import DataFiles
internal import System

/// How the rows of a file are packed.
struct FactsRowShape {
    /// A column: numbers alone, so that packing a value counts no references.
    struct Column {
        let kind: ValueKind
        let firstBit: Int
        let bitCount: Int
        /// What is subtracted of the distance under which a number waits.
        let base: Int64
        let divisor: FactsDivisor
        let firstRank: Int
    }

    let columns: [Column]
    let rowByteCount: Int
    /// What is stored for each string: those of one column after those of the other, and one more for values that are
    /// missing.
    private let ranks: [UInt32]

    init(_ plans: [FactsColumnPlan], ranks: [UInt32]) {
        var bits = plans.count
        columns = plans.map { plan in
            defer { bits += plan.bitCount }
            return Column(
                kind: plan.kind,
                firstBit: bits,
                bitCount: plan.bitCount,
                base: plan.base &- plan.first,
                divisor: FactsDivisor(plan.unit),
                firstRank: plan.firstRank
            )
        }
        rowByteCount = (bits + 7) / 8
        self.ranks = ranks + [0]
    }

    /// Packs the row that waits at `offset`; what is behind it is written over.
    @inline(__always)
    func pack(
        _ form: FactsRowForm,
        _ waiting: RawSpan,
        at offset: Int,
        into bytes: inout MutableSpan<UInt8>,
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
            // Nothing is stored for a value that is missing; no jump, since nobody foresees which are.
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
