public import System

public enum DataFileCheck: Sendable, Hashable {
    case full
    /// All but the digest, which ``DataFileHeader/init(opening:check:)`` compares.
    case rows
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
        if check != .structure { try checker.check(bytes, layouts) }
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

/// Checks a facts file once, when it is loaded: every number in the file must have the meaning that the lookups rely
/// on.
struct FactsChecker {
    let tables: FactsTables

    /// Checks the columns and returns their layouts. A row has one bit for each column that says whether there is a
    /// value, then the values, one column after the other. The check is cheap, so a worker does it too.
    func checkColumns(_ bytes: RawSpan) throws(DataFileError) -> [FactColumnLayout] {
        var layouts: [FactColumnLayout] = []
        var names: Set<UInt32> = []
        var taken = 0
        var bits = tables.columns.count
        for number in 0..<tables.columns.count {
            let offset = tables.columns.offset(of: number)
            guard let record = tables.columns.record(at: number, in: bytes) else {
                throw error(.truncated, .columns, offset)
            }
            guard record.name.index < tables.strings.count, names.insert(record.name.number).inserted else {
                throw error(.badReference, .columns, offset)
            }
            guard let kind = ValueKind(rawValue: record.kind) else {
                throw error(.badValue, .columns, field(\FactColumnRecord.kind, at: offset))
            }
            guard record.bitCount <= 64 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.bitCount, at: offset))
            }
            guard record.reserved == 0 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.reserved, at: offset))
            }
            guard Int(record.firstBit) == bits else {
                throw error(.badReference, .columns, field(\FactColumnRecord.firstBit, at: offset))
            }
            bits += Int(record.bitCount)
            try checkBase(of: record, kind, offset)
            guard record.unit > 0 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.unit, at: offset))
            }
            if record.listedCount > 0 {
                guard kind == .string, record.base == 0, record.unit == 1,
                    Int(record.listedCount) <= tables.columnLists.count - taken
                else {
                    throw error(.badReference, .columns, field(\FactColumnRecord.listedCount, at: offset))
                }
                guard record.firstListed.index == taken else {
                    throw error(.badReference, .columns, field(\FactColumnRecord.firstListed, at: offset))
                }
                taken += Int(record.listedCount)
            } else {
                guard record.firstListed.isNone else {
                    throw error(.badReference, .columns, field(\FactColumnRecord.firstListed, at: offset))
                }
            }
            guard record.reservedEnd == 0 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.reservedEnd, at: offset))
            }
            layouts.append(FactColumnLayout(record, kind: kind, number: number))
        }
        guard taken == tables.columnLists.count else {
            throw error(.badReference, .columnLists, tables.columnLists.offset(of: taken))
        }
        guard tables.rowByteCount == (bits + 7) / 8 else {
            throw error(
                .badValue, .factsSettings, field(\FactsSettingsRecord.rowByteCount, at: tables.settingsOffset)
            )
        }
        return layouts
    }

    private func checkBase(of record: FactColumnRecord, _ kind: ValueKind, _ offset: Int)
        throws(DataFileError)
    {
        let isGood =
            switch kind {
            case .string: record.base >= 0 && record.base < Int64(tables.strings.count)
            case .date: DataFileLimits.dateRange.contains(record.base)
            case .integer: true
            case .boolean: record.base == 0 || record.base == 1
            }
        guard isGood else { throw error(.badValue, .columns, field(\FactColumnRecord.base, at: offset)) }
    }

    func check(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        try checkSettings()
        try tables.strings.check(bytes, longest: DataFileLimits.factStringByteCount)
        try checkLists(bytes, layouts)
        try checkKeys(bytes)
        try checkRows(bytes, layouts)
    }

    private func checkSettings() throws(DataFileError) {
        let settings = tables.settings
        let offset = tables.settingsOffset
        guard settings.flags == 0 else { throw error(.unknownFeature, .factsSettings, offset) }
        guard settings.requiredFeatures == 0 else {
            throw error(
                .unknownFeature, .factsSettings, field(\FactsSettingsRecord.requiredFeatures, at: offset))
        }
        guard settings.reserved == 0 else {
            throw error(.badValue, .factsSettings, field(\FactsSettingsRecord.reserved, at: offset))
        }
    }

    private func checkLists(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        for layout in layouts where layout.listedCount > 0 {
            var before: UInt32?
            for index in layout.firstListed..<layout.firstListed + layout.listedCount {
                let offset = tables.columnLists.offset(of: index)
                guard let number = tables.columnLists.record(at: index, in: bytes)?.reference.number,
                    Int(number) < tables.strings.count
                else { throw error(.badReference, .columnLists, offset) }
                guard before.map({ $0 < number }) ?? true else {
                    throw error(.unordered, .columnLists, offset)
                }
                before = number
            }
        }
    }

    /// Checks that each bucket begins where the one before ends, and that it has exactly the keys that belong there,
    /// ascending.
    private func checkKeys(_ bytes: RawSpan) throws(DataFileError) {
        var end = 0
        for bucket in 0..<tables.bucketCount {
            guard let rows = tables.rows(ofBucket: bucket, in: bytes), rows.lowerBound == end else {
                throw error(.badReference, .directory, tables.directoryOffset + bucket * 4)
            }
            var before: UInt64 = 0
            for row in rows {
                guard let key = tables.key(ofRow: row, in: bytes), key > before,
                    FactsKey.bucket(of: key, among: tables.bucketCount) == bucket
                else { throw error(.unordered, .keys, tables.keysOffset + row * 8) }
                before = key
            }
            end = rows.upperBound
        }
        guard end == tables.rowCount else {
            let last = tables.directoryOffset + tables.bucketCount * 4
            throw error(.badReference, .directory, last)
        }
    }

    /// Checks the rows. Only a column whose width has room for numbers without a meaning is read row by row.
    private func checkRows(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        let end = tables.rowsOffset + tables.rowCount * tables.rowByteCount
        guard bytes.uint64(at: end) == 0 else { throw error(.badValue, .rows, end) }
        for layout in layouts {
            let greatest = largestStored(layout)
            let widest = layout.bitCount == 0 ? 0 : UInt64.max >> UInt64(64 - layout.bitCount)
            guard widest > greatest else { continue }
            for row in 0..<tables.rowCount {
                let offset = tables.rowsOffset + row * tables.rowByteCount
                if let stored = layout.stored(inRowAt: offset, bytes), stored > greatest {
                    throw error(.badValue, .rows, offset + layout.firstBit / 8)
                }
            }
        }
    }

    private func largestStored(_ layout: FactColumnLayout) -> UInt64 {
        let last: Int64 =
            switch layout.kind {
            case .string: Int64((layout.listedCount > 0 ? layout.listedCount : tables.strings.count) - 1)
            case .date: DataFileLimits.dateRange.upperBound
            case .integer: .max
            case .boolean: 1
            }
        return UInt64(bitPattern: last &- layout.base) / layout.unit
    }

    private func error(_ reason: DataFileError.Reason, _ section: FactsSection, _ offset: Int)
        -> DataFileError
    {
        DataFileError(reason, section: section.name, offset: offset)
    }
}
