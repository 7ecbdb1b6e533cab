internal import DataFiles
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
