internal import System

/// Where everything in a facts file is. Made once, when the file is opened.
package struct FactsTables: Sendable {
    package let strings: StringTable
    let settings: FactsSettingsRecord
    let settingsOffset: Int
    let columns: RecordTable<FactColumnRecord>
    let columnLists: RecordTable<ReferenceRecord>
    let rowCount: Int
    let bucketCount: Int
    let isDirectoryWide: Bool
    let directoryOffset: Int
    let keysOffset: Int
    let rowsOffset: Int
    let rowByteCount: Int

    /// The zero bytes after the last row, for readers that take whole words.
    static let rowsEndByteCount = 8

    /// Finds the sections and holds their lengths against the settings.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`, `.bad-value`.
    init(header: DataFileHeader, bytes: RawSpan) throws(DataFileError) {
        let pool = try Self.find(.strings, in: header)
        let index: RecordTable<ReferenceRecord> = try Self.table(.stringIndex, in: header)
        strings = StringTable(index: index, poolOffset: pool.offset, poolByteCount: pool.byteCount)
        let found: RecordTable<FactsSettingsRecord> = try Self.table(.factsSettings, in: header)
        guard found.count == 1, let settings = found.record(at: 0, in: bytes) else {
            throw DataFileError(.badSectionLength, section: "factsSettings", offset: found.offset)
        }
        self.settings = settings
        settingsOffset = found.offset
        columns = try Self.table(.columns, in: header)
        guard columns.count <= DataFileLimits.factCount else {
            throw DataFileError(.badSectionLength, section: "columns", offset: columns.offset)
        }
        columnLists = try Self.table(.columnLists, in: header)

        let directory = try Self.find(.directory, in: header)
        let keys = try Self.find(.keys, in: header)
        let rows = try Self.find(.rows, in: header)
        guard keys.byteCount % 8 == 0 else { throw Self.badLength(keys, .keys) }
        rowCount = keys.byteCount / 8
        guard settings.rowCount == UInt64(rowCount) else {
            throw DataFileError(.badValue, section: "factsSettings", offset: found.offset + 8)
        }
        guard settings.directoryByteCount == 4 || settings.directoryByteCount == 8 else {
            throw DataFileError(.badValue, section: "factsSettings", offset: found.offset + 28)
        }
        isDirectoryWide = settings.directoryByteCount == 8
        let entryByteCount = Int(settings.directoryByteCount)
        guard directory.byteCount % entryByteCount == 0, directory.byteCount >= 2 * entryByteCount else {
            throw Self.badLength(directory, .directory)
        }
        bucketCount = directory.byteCount / entryByteCount - 1
        guard settings.bucketCount == UInt64(bucketCount) else {
            throw DataFileError(.badValue, section: "factsSettings", offset: found.offset + 16)
        }
        rowByteCount = Int(settings.rowByteCount)
        let (content, overflows) = rowCount.multipliedReportingOverflow(by: rowByteCount)
        guard !overflows, rows.byteCount >= Self.rowsEndByteCount,
            rows.byteCount - Self.rowsEndByteCount == content
        else { throw Self.badLength(rows, .rows) }
        directoryOffset = directory.offset
        keysOffset = keys.offset
        rowsOffset = rows.offset
    }

    /// Where the rows of a bucket stand; nil when the directory is no directory.
    @inline(__always)
    func rows(ofBucket bucket: Int, in bytes: RawSpan) -> Range<Int>? {
        guard bucket >= 0, bucket < bucketCount else { return nil }
        let start: UInt64?
        let end: UInt64?
        if isDirectoryWide {
            start = bytes.uint64(at: directoryOffset + bucket * 8)
            end = bytes.uint64(at: directoryOffset + bucket * 8 + 8)
        } else {
            start = bytes.uint32(at: directoryOffset + bucket * 4).map(UInt64.init)
            end = bytes.uint32(at: directoryOffset + bucket * 4 + 4).map(UInt64.init)
        }
        guard let start, let end, start <= end, end <= UInt64(rowCount) else { return nil }
        return Int(start)..<Int(end)
    }

    /// The key of a row.
    @inline(__always)
    func key(ofRow row: Int, in bytes: RawSpan) -> UInt64? { bytes.uint64(at: keysOffset + row * 8) }

    /// The row with a key; nil when there is none. Touches an entry of the directory and the keys of one bucket.
    func find(_ key: UInt64, in bytes: RawSpan) -> FactsRow? {
        guard let rows = rows(ofBucket: FactsKey.bucket(of: key, among: bucketCount), in: bytes) else {
            return nil
        }
        var low = rows.lowerBound
        var high = rows.upperBound
        // Buckets have about eight rows. One that somebody has filled on purpose is halved first.
        while high - low > 16 {
            let middle = low + (high - low) / 2
            guard let found = self.key(ofRow: middle, in: bytes) else { return nil }
            if found <= key { low = middle } else { high = middle }
        }
        while low < high {
            guard let found = self.key(ofRow: low, in: bytes), found <= key else { return nil }
            if found == key { return FactsRow(index: low) }
            low += 1
        }
        return nil
    }

    private static func find(
        _ kind: FactsSection,
        in header: DataFileHeader
    ) throws(DataFileError) -> DataFileSection {
        guard let section = header.sections.first(where: { $0.kind == kind.rawValue }) else {
            throw DataFileError(.missingSection, section: kind.name, offset: DataFileHeader.byteCount)
        }
        return section
    }

    private static func table<Record: FileRecord>(
        _ kind: FactsSection,
        in header: DataFileHeader
    ) throws(DataFileError) -> RecordTable<Record> {
        let section = try find(kind, in: header)
        guard section.byteCount % Record.byteCount == 0,
            section.byteCount / Record.byteCount < Int(UInt32.max)
        else { throw badLength(section, kind) }
        return RecordTable(offset: section.offset, count: section.byteCount / Record.byteCount)
    }

    private static func badLength(_ section: DataFileSection, _ kind: FactsSection) -> DataFileError {
        DataFileError(.badSectionLength, section: kind.name, offset: section.offset)
    }
}
