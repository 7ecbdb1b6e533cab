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
    private let storage: Storage

    /// Either way to hold the bytes.
    private enum Storage: ~Copyable, Sendable {
        case mapped(MappedMemory)
        case copied([UInt8])
    }

    private struct Parts {
        let header: DataFileHeader
        package let tables: FactsTables
        let columns: [FactColumn]
        let layouts: [FactColumnLayout]
    }

    /// Opens a mapping, which must be of memory or of a file that nobody changes any more.
    ///
    /// - Throws: the first thing that is wrong.
    public init(mapping memory: consuming MappedMemory, check: DataFileCheck) throws(DataFileError) {
        let parts = try memory.withBytes { bytes throws(DataFileError) in try Self.open(bytes, check: check) }
        (header, tables, columns, layouts) = (parts.header, parts.tables, parts.columns, parts.layouts)
        storage = .mapped(memory)
    }

    /// Opens bytes in memory, for tools and tests.
    ///
    /// - Throws: the first thing that is wrong.
    public init(bytes: [UInt8], check: DataFileCheck) throws(DataFileError) {
        let parts = try bytes.span.withRawBytes { bytes throws(DataFileError) in
            try Self.open(bytes, check: check)
        }
        (header, tables, columns, layouts) = (parts.header, parts.tables, parts.columns, parts.layouts)
        storage = .copied(bytes)
    }

    /// The number of subscribers.
    public var rowCount: Int { tables.rowCount }

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
        switch storage {
        case .mapped(let memory): try memory.withBytes(body)
        case .copied(let bytes): try bytes.span.withRawBytes(body)
        }
    }

    private static func open(_ bytes: RawSpan, check: DataFileCheck) throws(DataFileError) -> Parts {
        let header = try DataFileHeader(reading: bytes)
        guard header.kind == .facts else { throw DataFileError(.wrongKind, offset: 24) }
        if check == .full { try header.checkContents(bytes) }
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
        return Parts(header: header, tables: tables, columns: columns, layouts: layouts)
    }
}
