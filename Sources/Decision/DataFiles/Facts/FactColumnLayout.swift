internal import System

/// The places of a column's values in a row, and what the stored bits mean. It has numbers only, so that reading a
/// value needs no reference counting.
struct FactColumnLayout: Sendable {
    let kind: ValueKind
    /// The bit of the row that says whether there is a value.
    let presenceBit: Int
    let firstBit: Int
    let bitCount: Int
    let base: Int64
    let unit: UInt64
    let firstListed: Int
    /// The number of the column's own entries in `columnLists`. 0: the stored bits give a string's number in the file.
    let listedCount: Int

    init(_ record: FactColumnRecord, kind: ValueKind, number: Int) {
        self.kind = kind
        presenceBit = number
        firstBit = Int(record.firstBit)
        bitCount = Int(record.bitCount)
        base = record.base
        unit = record.unit
        firstListed = record.firstListed.index
        listedCount = Int(record.listedCount)
    }

    /// Returns the bits that the row starting at `offset` stores for the column; nil when the row has no value.
    @inline(__always)
    func stored(inRowAt offset: Int, _ bytes: RawSpan) -> UInt64? {
        guard let presence = bytes.uint8(at: offset + presenceBit >> 3),
            presence >> UInt8(truncatingIfNeeded: presenceBit & 7) & 1 == 1
        else { return nil }
        guard bitCount > 0 else { return 0 }
        let start = offset + firstBit >> 3
        let shift = UInt64(truncatingIfNeeded: firstBit & 7)
        // Eight zero bytes follow the rows, so that the last row too can be read in whole words.
        guard var word = bytes.uint64(at: start) else { return nil }
        word >>= shift
        if bitCount + firstBit & 7 > 64 {
            guard let rest = bytes.uint8(at: start + 8) else { return nil }
            word |= UInt64(rest) << (64 - shift)
        }
        return bitCount < 64 ? word & (1 << UInt64(truncatingIfNeeded: bitCount) - 1) : word
    }

    /// Returns `base + unit x stored`. The full check has refused files in which this does not fit; here it wraps.
    @inline(__always)
    func value(of stored: UInt64) -> Int64 {
        base &+ Int64(bitPattern: unit &* stored)
    }
}
