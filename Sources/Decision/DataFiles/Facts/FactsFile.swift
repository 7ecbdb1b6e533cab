public import System

/// How much of a facts file is checked when it is opened.
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
///
///     let file = try FactsFile(bytes: bytes, check: .full)
///     if let column = file.columns.firstIndex(where: { $0.name == "paidPeriods" }),
///         let key = FactsKey.parse(decimal: "2000000001"), let row = file.find(key)
///     {
///         let paidPeriods = file.integer(column: column, row: row)  // nil when the fact is missing
///     }
public final class FactsFile: Sendable {
    /// The header of the file: what the file is and whom it serves.
    public let header: DataFileHeader
    /// The columns, in the order of the schema with which the file was compiled.
    public let columns: [FactColumn]
    package let tables: FactsTables
    let layouts: [FactColumnLayout]
    private let storage: DataFileBytes

    /// The parts of an opened file, without its bytes.
    private typealias Parts = (DataFileHeader, FactsTables, [FactColumn], [FactColumnLayout])

    /// Opens a mapping, which must be of memory or of a file that nobody changes any more.
    ///
    /// - Throws: an error for the first thing that is wrong.
    public convenience init(mapping memory: consuming MappedMemory, check: DataFileCheck)
        throws(DataFileError)
    {
        try self.init(.mapped(memory), check: check)
    }

    /// Opens bytes in memory, for tools and tests.
    ///
    /// - Throws: an error for the first thing that is wrong.
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

    /// The place of the columns in the file, for errors about them.
    package var columnsOffset: Int { tables.columns.offset(of: 0) }

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

    /// Has the kernel read a mapped file ahead.
    package func readAhead() { storage.readAhead() }

    /// Lends the bytes of the whole file to `body`.
    package func withBytes<Result, Failure: Error>(
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
