internal import System

/// The values of a row. The caller names a column by its number in ``FactsFile/columns``. The functions return nil for
/// a missing value, for a number that no column has, and for a column of another kind.
extension FactsFile {
    public func isPresent(column: Int, row: FactsRow) -> Bool {
        withBytes { stored(column, row, $0)?.stored != nil }
    }

    public func integer(column: Int, row: FactsRow) -> Int64? { number(.integer, column, row) }

    /// Returns the value of a date column, in milliseconds since 1970.
    public func date(column: Int, row: FactsRow) -> Int64? { number(.date, column, row) }

    public func boolean(column: Int, row: FactsRow) -> Bool? { number(.boolean, column, row).map { $0 != 0 } }

    /// Lends the UTF-8 bytes of a string to `body`.
    ///
    /// - Returns: the result of `body`; nil, without a call of `body`, when the row has no string.
    public func withString<Result, Failure: Error>(
        column: Int, row: FactsRow, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try withBytes { bytes throws(Failure) -> Result? in
            guard let reference = stringReference(column, row, bytes),
                let range = tables.strings.range(of: reference, in: bytes)
            else { return nil }
            return try bytes.withSpan(offset: range.lowerBound, byteCount: range.count, body)
        }
    }

    /// Returns a copy of a string, for tools.
    public func string(column: Int, row: FactsRow) -> String? {
        withBytes { bytes in
            stringReference(column, row, bytes).flatMap { tables.strings.string($0, in: bytes) }
        }
    }

    /// Returns the number of a string among the file's ``stringCount`` strings. Equal bytes have the same number, and
    /// the numbers are in the order of the bytes.
    public func stringNumber(column: Int, row: FactsRow) -> Int? {
        withBytes { stringReference(column, row, $0)?.index }
    }

    public var stringCount: Int { tables.strings.count }

    /// Returns the string with this number, for tools; nil when there is none.
    public func string(numbered number: Int) -> String? {
        guard let number = UInt32(exactly: number) else { return nil }
        return withBytes { tables.strings.string(EntryReference(number), in: $0) }
    }

    /// Returns the key of a row; nil for a row of another file that this file does not have.
    public func key(of row: FactsRow) -> UInt64? {
        guard row.index < tables.rowCount else { return nil }
        return withBytes { tables.key(ofRow: row.index, in: $0) }
    }

    /// All rows, in the order of the file.
    public var rows: some Sequence<FactsRow> { (0..<tables.rowCount).lazy.map { FactsRow(index: $0) } }

    @inline(__always)
    private func number(_ kind: ValueKind, _ column: Int, _ row: FactsRow) -> Int64? {
        withBytes { bytes in
            guard let (layout, stored) = stored(column, row, bytes), layout.kind == kind else { return nil }
            return layout.value(of: stored)
        }
    }

    @inline(__always)
    private func stringReference(_ column: Int, _ row: FactsRow, _ bytes: RawSpan) -> EntryReference? {
        guard let (layout, stored) = stored(column, row, bytes), layout.kind == .string else { return nil }
        let value = layout.value(of: stored)
        guard let number = UInt32(exactly: value) else { return nil }
        guard layout.listedCount > 0 else { return EntryReference(number) }
        guard Int(number) < layout.listedCount else { return nil }
        return tables.columnLists.record(at: layout.firstListed + Int(number), in: bytes)?.reference
    }

    @inline(__always)
    private func stored(_ column: Int, _ row: FactsRow, _ bytes: RawSpan) -> (
        layout: FactColumnLayout, stored: UInt64
    )? {
        guard column >= 0, column < layouts.count, row.index < tables.rowCount else { return nil }
        let layout = layouts[column]
        let offset = tables.rowsOffset + row.index * tables.rowByteCount
        return layout.stored(inRowAt: offset, bytes).map { (layout, $0) }
    }
}
