internal import System

/// The layout of rows that wait in memory until the widths of the file's columns are known. Each value has as many bits
/// as the widest value before it needed. So all rows of a form have the same length, and every value has a fixed place.
///
/// A row begins with its key, 8 bytes. The bits that follow are a presence bit for each column, then the distance in lines
/// from the row before in the partition, then a value for each column. The bits of a missing value have no meaning.
struct FactsRowForm {
    /// The place of a value, in bits from the beginning of the row.
    struct Place {
        let firstBit: Int
        let bitCount: Int
        /// A mask with `bitCount` ones.
        let mask: UInt64

        init(firstBit: Int, bitCount: Int) {
            self.firstBit = firstBit
            self.bitCount = bitCount
            mask = bitCount == 0 ? 0 : UInt64.max >> UInt64(64 - bitCount)
        }
    }

    /// The line, and a value for each of ``DataFileLimits/factCount`` columns.
    typealias Values = [65 of UInt64]

    static var noValues: Values { Values(repeating: 0) }

    /// The places of the line and, after it, of the columns.
    let places: [Place]
    let byteCount: Int
    private let presenceMask: UInt64

    /// The number of bytes after the last row that a write or read of a whole word may touch.
    static let slackByteCount = 8
    private static let presenceBit = 64

    private init(columnCount: Int, bitCounts: [Int]) {
        var bit = Self.presenceBit + columnCount
        var places: [Place] = []
        for bitCount in bitCounts {
            places.append(Place(firstBit: bit, bitCount: bitCount))
            bit += bitCount
        }
        self.places = places
        presenceMask = Place(firstBit: Self.presenceBit, bitCount: columnCount).mask
        byteCount = (bit + 7) / 8
    }

    init(columnCount: Int) {
        self.init(columnCount: columnCount, bitCounts: Array(repeating: 0, count: columnCount + 1))
    }

    /// Returns a form that also has room for these values, which are in the order of ``places``.
    func widened(for values: Values) -> FactsRowForm {
        let bitCounts = places.indices.map { index in
            max(places[index].bitCount, UInt64.bitWidth - values[index].leadingZeroBitCount)
        }
        return FactsRowForm(columnCount: places.count - 1, bitCounts: bitCounts)
    }

    /// Writes a row at `offset`; `present` has a bit for each column. Returns false when a value does not fit the form;
    /// the written bytes are then useless.
    @inline(__always)
    func put(
        _ key: UInt64, _ present: UInt64, _ values: inout Values, into bytes: inout MutableSpan<UInt8>,
        at offset: Int
    ) -> Bool {
        bytes.put(key, at: offset)
        let places = places.span
        var writer = FactsBitWriter(at: offset + 8, beginningWith: present, bitCount: places.count - 1)
        var excess: UInt64 = 0
        for index in places.indices {
            let bitCount = places[index].bitCount
            excess |= values[index] & ~places[index].mask
            writer.put(values[index], bitCount: bitCount, into: &bytes)
        }
        bytes.put(writer.waiting, at: writer.end)
        return excess == 0
    }

    /// Returns the number of lines between the row at `offset` and the row before it.
    @inline(__always)
    func lineDistance(_ bytes: RawSpan, at offset: Int) -> Int {
        Int(truncatingIfNeeded: value(places[0], bytes, at: offset))
    }

    /// Returns a value of the row at `offset`.
    @inline(__always)
    func value(_ place: Place, _ bytes: RawSpan, at offset: Int) -> UInt64 {
        bytes.bits(first: offset &* 8 &+ place.firstBit, count: place.bitCount, mask: place.mask) ?? 0
    }

    /// Returns the presence bits of the row at `offset`, one for each column.
    @inline(__always)
    func present(_ bytes: RawSpan, at offset: Int) -> UInt64 {
        (bytes.uint64(at: offset &+ Self.presenceBit / 8) ?? 0) & presenceMask
    }
}

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
