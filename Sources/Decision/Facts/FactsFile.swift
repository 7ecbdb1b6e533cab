public import System

public enum DataFileCheck: Sendable, Hashable {
    case full
    /// All but the digest, which ``DataFileHeader/init(opening:check:)`` compares.
    case rows
    case structure
}

/// Immutable and shared by reference; lookups allocate nothing.
public final class FactsFile: Sendable {
    public let header: DataFileHeader
    public let columns: [FactColumn]
    public let tables: FactsTables
    let layouts: [FactColumnLayout]
    private let storage: DataFileBytes

    private typealias Contents = (DataFileHeader, FactsTables, [FactColumn], [FactColumnLayout])

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

    /// Touches a constant number of cache lines: one or two of the directory, and those of one bucket of keys.
    public func find(_ key: UInt64) -> FactsRow? {
        withBytes { tables.find(key, in: $0) }
    }

    public func readAhead() { storage.readAhead() }

    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    private static func open(_ bytes: RawSpan, check: DataFileCheck) throws(DataFileError) -> Contents {
        let header = try DataFileHeader(opening: bytes, check: check)
        let tables = try FactsTables(header: header, bytes: bytes)
        let checker = FactsChecker(tables: tables)
        let layouts = try checker.checkColumns(bytes)
        if check != .structure { try checker.check(bytes, layouts) }
        var columns: [FactColumn] = []
        for (number, layout) in layouts.enumerated() {
            guard let record = tables.columns.record(at: number, in: bytes),
                let name = tables.strings.string(record.name, in: bytes)
            else { throw DataFileError(.badReference, .columns, tables.columns.offset(of: number)) }
            columns.append(FactColumn(name: name, kind: layout.kind, bitCount: layout.bitCount))
        }
        return (header, tables, columns, layouts)
    }
}

/// The functions return nil for a missing value, for a number that no column has, and for a column of another kind.
extension FactsFile {
    public func isPresent(column: Int, row: FactsRow) -> Bool {
        withBytes { stored(column, row, $0)?.stored != nil }
    }

    public func integer(column: Int, row: FactsRow) -> Int64? { number(.integer, column, row) }

    public func date(column: Int, row: FactsRow) -> Int64? { number(.date, column, row) }

    public func boolean(column: Int, row: FactsRow) -> Bool? {
        number(.boolean, column, row).map { $0 != 0 }
    }

    /// Returns nil, without a call of `body`, when the row has no string.
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

    /// Equal bytes have the same number, and the numbers are in the order of the bytes.
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

    public var rows: some RandomAccessCollection<FactsRow> {
        (0..<tables.rowCount).lazy.map { FactsRow(index: $0) }
    }

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

public struct FactsRow: Sendable, Hashable {
    public let index: Int

    init(index: Int) {
        self.index = index
    }
}

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
    /// By the number of the fact. Nil for a fact that no rule reads and that the facts file does not have with this
    /// kind of value.
    private let columns: [Int?]

    /// The facts with the numbers in `read` must have a column; nil means all facts. `columnsOffset` is for errors.
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

    public func column(ofFact number: Int) -> Int? {
        guard number >= 0, number < columns.count else { return nil }
        return columns[number]
    }
}

/// Checks a facts file once, when it is loaded: every number must have the meaning that the lookups rely on.
struct FactsChecker {
    let tables: FactsTables

    /// Returns the layouts. Cheap, so a worker does it too.
    func checkColumns(_ bytes: RawSpan) throws(DataFileError) -> [FactColumnLayout] {
        var layouts: [FactColumnLayout] = []
        var names: Set<UInt32> = []
        var taken = 0
        var bits = tables.columns.count
        for number in 0..<tables.columns.count {
            let offset = tables.columns.offset(of: number)
            guard let record = tables.columns.record(at: number, in: bytes),
                record.name.index < tables.strings.count, names.insert(record.name.number).inserted,
                Int(record.firstBit) == bits
            else { throw DataFileError(.badReference, .columns, offset) }
            guard let kind = ValueKind(rawValue: record.kind), record.bitCount <= 64, record.unit > 0,
                record.reserved == 0, record.reservedEnd == 0, isBase(record.base, kind)
            else { throw DataFileError(.badValue, .columns, offset) }
            bits += Int(record.bitCount)
            let isListed = record.listedCount > 0
            let fits =
                isListed
                ? kind == .string && record.base == 0 && record.unit == 1 && record.firstListed.index == taken
                    && Int(record.listedCount) <= tables.columnLists.count - taken
                : record.firstListed.isNone
            guard fits else { throw DataFileError(.badReference, .columns, offset) }
            taken += Int(record.listedCount)
            layouts.append(FactColumnLayout(record, kind: kind, number: number))
        }
        guard taken == tables.columnLists.count else {
            throw DataFileError(.badReference, .columnLists, tables.columnLists.offset(of: taken))
        }
        guard tables.rowByteCount == (bits + 7) / 8 else {
            throw DataFileError(.badValue, .factsSettings, tables.settingsOffset)
        }
        return layouts
    }

    private func isBase(_ base: Int64, _ kind: ValueKind) -> Bool {
        switch kind {
        case .string: base >= 0 && base < Int64(tables.strings.count)
        case .date: DataFileLimits.dateRange.contains(base)
        case .integer: true
        case .boolean: base == 0 || base == 1
        }
    }

    func check(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        let settings = tables.settings
        guard settings.flags == 0, settings.requiredFeatures == 0 else {
            throw DataFileError(.unknownFeature, .factsSettings, tables.settingsOffset)
        }
        guard settings.reserved == 0 else {
            throw DataFileError(.badValue, .factsSettings, tables.settingsOffset)
        }
        try tables.strings.check(bytes, longest: DataFileLimits.factStringByteCount)
        try checkLists(bytes, layouts)
        try checkKeys(bytes)
        try checkRows(bytes, layouts)
    }

    private func checkLists(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        for layout in layouts where layout.listedCount > 0 {
            var before: UInt32?
            for index in layout.firstListed..<layout.firstListed + layout.listedCount {
                let offset = tables.columnLists.offset(of: index)
                guard let number = tables.columnLists.record(at: index, in: bytes)?.reference.number,
                    Int(number) < tables.strings.count
                else { throw DataFileError(.badReference, .columnLists, offset) }
                guard before.map({ $0 < number }) ?? true else {
                    throw DataFileError(.unordered, .columnLists, offset)
                }
                before = number
            }
        }
    }

    private func checkKeys(_ bytes: RawSpan) throws(DataFileError) {
        var end = 0
        for bucket in 0..<tables.bucketCount {
            guard let rows = tables.rows(ofBucket: bucket, in: bytes), rows.lowerBound == end else {
                throw DataFileError(.badReference, .directory, tables.directoryOffset + bucket * 4)
            }
            var before: UInt64 = 0
            for row in rows {
                guard let key = tables.key(ofRow: row, in: bytes), key > before,
                    FactsKey.bucket(of: key, among: tables.bucketCount) == bucket
                else { throw DataFileError(.unordered, .keys, tables.keysOffset + row * 8) }
                before = key
            }
            end = rows.upperBound
        }
        guard end == tables.rowCount else {
            let last = tables.directoryOffset + tables.bucketCount * 4
            throw DataFileError(.badReference, .directory, last)
        }
    }

    /// Checks the rows. Only a column whose width has room for numbers without a meaning is read row by row.
    private func checkRows(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        let end = tables.rowsOffset + tables.rowCount * tables.rowByteCount
        guard bytes.uint64(at: end) == 0 else { throw DataFileError(.badValue, .rows, end) }
        for layout in layouts {
            let greatest = largestStored(layout)
            let widest = layout.bitCount == 0 ? 0 : UInt64.max >> UInt64(64 - layout.bitCount)
            guard widest > greatest else { continue }
            for row in 0..<tables.rowCount {
                let offset = tables.rowsOffset + row * tables.rowByteCount
                if let stored = layout.stored(inRowAt: offset, bytes), stored > greatest {
                    throw DataFileError(.badValue, .rows, offset + layout.firstBit / 8)
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
}
