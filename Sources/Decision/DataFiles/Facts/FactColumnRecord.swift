/// An entry of `columns`: what a column holds and where it stands in a row. A value is `base + unit x stored`.
package struct FactColumnRecord: FileRecord {
    /// The name of the fact, a string.
    package var name = EntryReference.none
    /// A ``ValueKind``.
    package var kind: UInt8 = 0
    /// The width of what is stored, in bits, 0 to 64.
    package var bitCount: UInt8 = 0
    /// Zero.
    package var reserved: UInt16 = 0
    /// Where the stored bits begin, counted from the row's first bit.
    package var firstBit: UInt32 = 0
    /// The first of the column's strings in `columnLists`, or none.
    package var firstListed = EntryReference.none
    /// The value that stands for stored zero.
    package var base: Int64 = 0
    /// How far two values that follow each other lie apart; at least 1.
    package var unit: UInt64 = 0
    /// How many strings the column has in `columnLists`; 0 for none.
    package var listedCount: UInt32 = 0
    /// Zero.
    package var reservedEnd: UInt32 = 0

    package init() {}
}
