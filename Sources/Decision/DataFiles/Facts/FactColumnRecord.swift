/// An entry of `columns`: the fact of a column and its place in a row. A value is `base + unit x stored`.
package struct FactColumnRecord: FileRecord {
    /// The name of the fact, a string.
    package var name = EntryReference.none
    /// The raw value of the ``ValueKind``.
    package var kind: UInt8 = 0
    /// The width of a stored number, in bits, 0 to 64.
    package var bitCount: UInt8 = 0
    /// Reserved: zero.
    package var reserved: UInt16 = 0
    /// The place of the stored bits, counted from the row's first bit.
    package var firstBit: UInt32 = 0
    /// The first of the column's strings in `columnLists`, or none.
    package var firstListed = EntryReference.none
    /// The value that a stored zero stands for.
    package var base: Int64 = 0
    /// The difference between the values of two stored numbers that follow each other; at least 1.
    package var unit: UInt64 = 0
    /// The number of strings that the column has in `columnLists`; may be 0.
    package var listedCount: UInt32 = 0
    /// Reserved: zero.
    package var reservedEnd: UInt32 = 0

    package init() {}
}
