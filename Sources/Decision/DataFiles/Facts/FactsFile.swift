public import System

/// A facts file, opened: what is known of the subscribers of one app in one environment. Immutable and shared by
/// reference; lookups allocate nothing.
public final class FactsFile: Sendable {
    /// What the file is and whom it serves.
    public let header: DataFileHeader
    /// The facts, in the order of the schema they were compiled with.
    public let columns: [FactColumn]
    package let tables: FactsTables
    let layouts: [FactColumnLayout]
    private let storage: DataFileBytes

    /// What an opened file is besides its bytes.
    private typealias Parts = (DataFileHeader, FactsTables, [FactColumn], [FactColumnLayout])

    /// Opens a mapping, which must be of memory or of a file that nobody changes any more.
    ///
    /// - Throws: the first thing that is wrong.
    public convenience init(
        mapping memory: consuming MappedMemory,
        check: DataFileCheck
    ) throws(DataFileError) {
        try self.init(.mapped(memory), check: check)
    }

    /// Opens bytes in memory, for tools and tests.
    ///
    /// - Throws: the first thing that is wrong.
    public convenience init(bytes: [UInt8], check: DataFileCheck) throws(DataFileError) {
        try self.init(.copied(bytes), check: check)
    }

    private init(_ storage: consuming DataFileBytes, check: DataFileCheck) throws(DataFileError) {
        (header, tables, columns, layouts) = try storage.withBytes { bytes throws(DataFileError) in
            try Self.open(bytes, check: check)
        }
        self.storage = storage
    }

    /// The number of subscribers.
    public var rowCount: Int { tables.rowCount }

    /// Where the columns stand in the file, for errors about them.
    package var columnsOffset: Int { tables.columns.offset(of: 0) }

    /// How old the file is at a time, in whole seconds; 0 for one that says it was built later.
    public func ageSeconds(atMilliseconds now: Int64) -> Int64 {
        max(0, now - header.builtAtMilliseconds) / 1000
    }

    /// The row of a subscriber; nil when the file has none.
    ///
    /// Touches a constant number of cache lines: one or two of the directory, those of one bucket of keys.
    public func find(_ key: UInt64) -> FactsRow? {
        withBytes { tables.find(key, in: $0) }
    }

    /// Lends the bytes of the whole file.
    package func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    private static func open(_ bytes: RawSpan, check: DataFileCheck) throws(DataFileError) -> Parts {
        let header = try DataFileHeader(opening: bytes, as: .facts, check: check)
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
                    .badReference,
                    section: FactsSection.columns.name,
                    offset: tables.columns.offset(of: number)
                )
            }
            columns.append(FactColumn(name: name, kind: layout.kind, bitCount: layout.bitCount))
        }
        return (header, tables, columns, layouts)
    }
}
