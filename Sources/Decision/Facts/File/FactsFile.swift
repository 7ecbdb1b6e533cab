public import System

public enum DataFileCheck: Sendable, Hashable {
    /// Everything: digest, checksums, every string, reference, value and key. The process that loads a file uses this.
    case full
    /// The header, the section table, the length of every section, and the columns. A worker uses this: it maps a file
    /// that the loader has checked in full and that nobody else can write. Lookups stay inside the file in any case,
    /// whatever the file holds.
    case structure
}

/// An opened facts file: the facts about the subscribers of one app in one environment. It is immutable and shared by
/// reference; lookups allocate nothing.
public final class FactsFile: Sendable {
    public let header: DataFileHeader
    public let columns: [FactColumn]
    public let tables: FactsTables
    let layouts: [FactColumnLayout]
    private let storage: DataFileBytes

    private typealias Parts = (DataFileHeader, FactsTables, [FactColumn], [FactColumnLayout])

    /// Opens a mapping, which must be of memory or of a file that nobody changes any more.
    public convenience init(mapping memory: consuming MappedMemory, check: DataFileCheck)
        throws(DataFileError)
    {
        try self.init(.mapped(memory), check: check)
    }

    public convenience init(bytes: [UInt8], check: DataFileCheck) throws(DataFileError) {
        try self.init(.copied(bytes), check: check)
    }

    private init(_ storage: consuming DataFileBytes, check: DataFileCheck) throws(DataFileError) {
        (header, tables, columns, layouts) = try storage.withBytes { bytes throws(DataFileError) in
            try Self.open(bytes, check: check)
        }
        self.storage = storage
    }

    public var rowCount: Int { tables.rowCount }

    public var columnsOffset: Int { tables.columns.offset(of: 0) }

    /// Returns the age of the file at the time `now`, in whole seconds; 0 when the file says that it was built later.
    public func ageSeconds(atMilliseconds now: Int64) -> Int64 {
        max(0, now - header.builtAtMilliseconds) / 1000
    }

    /// Returns the row of a subscriber; nil when the file has none.
    ///
    /// The lookup touches a constant number of cache lines: one or two of the directory, and those of one bucket of
    /// keys.
    public func find(_ key: UInt64) -> FactsRow? {
        withBytes { tables.find(key, in: $0) }
    }

    public func readAhead() { storage.readAhead() }

    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    private static func open(_ bytes: RawSpan, check: DataFileCheck) throws(DataFileError) -> Parts {
        let header = try DataFileHeader(opening: bytes, check: check)
        let tables = try FactsTables(header: header, bytes: bytes)
        let checker = FactsChecker(tables: tables)
        let layouts = try checker.checkColumns(bytes)
        if check == .full { try checker.check(bytes, layouts) }
        var columns: [FactColumn] = []
        for (number, layout) in layouts.enumerated() {
            guard let record = tables.columns.record(at: number, in: bytes),
                let name = tables.strings.string(record.name, in: bytes)
            else {
                throw DataFileError(
                    .badReference, section: FactsSection.columns.name,
                    offset: tables.columns.offset(of: number))
            }
            columns.append(FactColumn(name: name, kind: layout.kind, bitCount: layout.bitCount))
        }
        return (header, tables, columns, layouts)
    }
}

/// The values of a row. The caller names a column by its number in ``FactsFile/columns``. The functions return nil for
/// a missing value, for a number that no column has, and for a column of another kind.
extension FactsFile {
    public func isPresent(column: Int, row: FactsRow) -> Bool {
        withBytes { stored(column, row, $0)?.stored != nil }
    }

    public func integer(column: Int, row: FactsRow) -> Int64? { number(.integer, column, row) }

    /// Returns the value of a date column, in milliseconds since 1970.
    public func date(column: Int, row: FactsRow) -> Int64? { number(.date, column, row) }

    public func boolean(column: Int, row: FactsRow) -> Bool? {
        number(.boolean, column, row).map { $0 != 0 }
    }

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

    public func string(numbered number: Int) -> String? {
        guard let number = UInt32(exactly: number) else { return nil }
        return withBytes { tables.strings.string(EntryReference(number), in: $0) }
    }

    public func key(of row: FactsRow) -> UInt64? {
        guard row.index < tables.rowCount else { return nil }
        return withBytes { tables.key(ofRow: row.index, in: $0) }
    }

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

/// A row of one facts file: the facts of one subscriber.
public struct FactsRow: Sendable, Hashable {
    public let index: Int

    init(index: Int) {
        self.index = index
    }
}

/// A column of a facts file: one fact of every subscriber.
public struct FactColumn: Sendable, Hashable {
    public let name: String
    public let kind: ValueKind
    /// The number of bits that a value takes in a row, without the bit that says whether there is a value.
    public let bitCount: Int

    public init(name: String, kind: ValueKind, bitCount: Int) {
        self.name = name
        self.kind = kind
        self.bitCount = bitCount
    }
}

/// Tells in which column of a facts file each declared fact of a rules file is.
public struct FactsBinding: Sendable, Hashable {
    /// The column of each declared fact, by the number of the fact. Nil for a fact that no rule reads and that the
    /// facts file does not have with this kind of value.
    private let columns: [Int?]

    /// Binds a list of declared facts to a list of columns. The facts with the numbers in `read` must have a column;
    /// nil means all facts. `columnsOffset` is the place of the columns in their file, for errors.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    public init(
        declared: [(name: String, kind: ValueKind)], read: Set<Int>? = nil, columns: [FactColumn],
        columnsOffset: Int = 0
    ) throws(DataFileError) {
        var found: [Int?] = []
        for (index, fact) in declared.enumerated() {
            let number = columns.firstIndex { $0.name == fact.name }
            if let number, columns[number].kind == fact.kind {
                found.append(number)
                continue
            }
            if let read, !read.contains(index) {
                found.append(nil)
                continue
            }
            throw DataFileError(
                number == nil ? .factMissing : .factTypeMismatch, section: FactsSection.columns.name,
                offset: columnsOffset + (number ?? 0) * FactColumnRecord.byteCount, name: fact.name)
        }
        self.columns = found
    }

    /// Returns the column of the declared fact with this number. Returns nil when the rules declare no such fact, or
    /// when no rule reads it and no column has it.
    public func column(ofFact number: Int) -> Int? {
        guard number >= 0, number < columns.count else { return nil }
        return columns[number]
    }
}
