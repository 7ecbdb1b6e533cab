internal import DataFiles
internal import System

/// How rows lie in memory until it is known how wide the columns of the file are: each value takes as many bits as the
/// widest before it needed, so that all rows of a form are equally long and nothing in them has to be searched.
///
/// A row is its key, 8 bytes; then bit after bit which columns have a value, and the values: first how many lines
/// after the row before it in its partition the row stands, then those of the columns, where missing anything.
struct FactsRowForm {
    /// Where a value stands, in bits from the beginning of the row.
    struct Place {
        let firstBit: Int
        let bitCount: Int
        /// As many ones.
        let mask: UInt64

        init(firstBit: Int, bitCount: Int) {
            self.firstBit = firstBit
            self.bitCount = bitCount
            mask = bitCount == 0 ? 0 : UInt64.max >> UInt64(64 - bitCount)
        }
    }

    /// A line, and a value for each of ``DataFileLimits/factCount`` columns.
    typealias Values = [65 of UInt64]

    static var noValues: Values { Values(repeating: 0) }

    /// The line, and behind it the columns.
    let places: [Place]
    let byteCount: Int
    private let presenceMask: UInt64

    /// What may be written or read behind the last row.
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

    /// The form of rows that have nothing but a key.
    init(columnCount: Int) {
        self.init(columnCount: columnCount, bitCounts: Array(repeating: 0, count: columnCount + 1))
    }

    /// A form that has room for these values too, which are in the order of ``places``.
    func widened(for values: Values) -> FactsRowForm {
        let bitCounts = places.indices.map { index in
            max(places[index].bitCount, UInt64.bitWidth - values[index].leadingZeroBitCount)
        }
        return FactsRowForm(columnCount: places.count - 1, bitCounts: bitCounts)
    }

    /// Puts a row at `offset`; `present` has a bit for each column. Answers false where the form has no room for a
    /// value.
    @inline(__always)
    func put(
        _ key: UInt64,
        _ present: UInt64,
        _ values: inout Values,
        into bytes: inout MutableSpan<UInt8>,
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

    /// How many lines after the row before it the row at `offset` stands.
    @inline(__always)
    func lineDistance(_ bytes: RawSpan, at offset: Int) -> Int {
        Int(truncatingIfNeeded: value(places[0], bytes, at: offset))
    }

    /// A value of the row at `offset`.
    @inline(__always)
    func value(_ place: Place, _ bytes: RawSpan, at offset: Int) -> UInt64 {
        bytes.bits(first: offset &* 8 &+ place.firstBit, count: place.bitCount, mask: place.mask) ?? 0
    }

    /// Which columns of the row at `offset` have a value.
    @inline(__always)
    func present(_ bytes: RawSpan, at offset: Int) -> UInt64 {
        (bytes.uint64(at: offset &+ Self.presenceBit / 8) ?? 0) & presenceMask
    }
}
