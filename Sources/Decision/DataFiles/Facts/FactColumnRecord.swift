internal import System

/// An entry of `columns`: what a column holds and where it stands in a row. A value is `base + unit x stored`.
struct FactColumnRecord: FileRecord, Hashable {
    static var byteCount: Int { 40 }

    /// The name of the fact, a string.
    var name: EntryReference
    /// A ``ValueKind``.
    var kind: UInt8
    /// The width of what is stored, in bits, 0 to 64.
    var bitCount: UInt8
    /// Zero.
    var reserved: UInt16 = 0
    /// Where the stored bits begin, counted from the row's first bit.
    var firstBit: UInt32
    /// The first of the column's strings in `columnLists`, or none.
    var firstListed: EntryReference
    /// The value that stands for stored zero.
    var base: Int64
    /// How far two values that follow each other lie apart; at least 1.
    var unit: UInt64
    /// How many strings the column has in `columnLists`; 0 for none.
    var listedCount: UInt32
    /// Zero.
    var reservedEnd: UInt32 = 0

    init(
        name: EntryReference,
        kind: ValueKind,
        bitCount: Int,
        firstBit: Int,
        base: Int64,
        unit: UInt64,
        firstListed: EntryReference,
        listedCount: Int
    ) {
        self.name = name
        self.kind = kind.rawValue
        self.bitCount = UInt8(bitCount)
        self.firstBit = UInt32(firstBit)
        self.base = base
        self.unit = unit
        self.firstListed = firstListed
        self.listedCount = UInt32(listedCount)
    }

    init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [5 of UInt64] = bytes.words(at: offset) else { return nil }
        name = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        kind = UInt8(truncatingIfNeeded: words[0] >> 32)
        bitCount = UInt8(truncatingIfNeeded: words[0] >> 40)
        reserved = UInt16(truncatingIfNeeded: words[0] >> 48)
        firstBit = UInt32(truncatingIfNeeded: words[1])
        firstListed = EntryReference(UInt32(truncatingIfNeeded: words[1] >> 32))
        base = Int64(bitPattern: words[2])
        unit = words[3]
        listedCount = UInt32(truncatingIfNeeded: words[4])
        reservedEnd = UInt32(truncatingIfNeeded: words[4] >> 32)
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(kind)
        buffer.append(bitCount)
        buffer.append(reserved)
        buffer.append(firstBit)
        buffer.append(firstListed.number)
        buffer.append(base)
        buffer.append(unit)
        buffer.append(listedCount)
        buffer.append(reservedEnd)
    }
}
