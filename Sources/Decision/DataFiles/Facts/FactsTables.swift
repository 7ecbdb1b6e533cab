internal import System

/// The places of the sections of a facts file, and what its settings say. Made once, when the file is opened.
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

    /// The number of zero bytes after the last row, for readers that load whole words.
    package static let rowsEndByteCount = 8

    /// Finds the sections and compares their lengths with the settings.
    ///
    /// - Throws: `data-file.missing-section`, `.bad-section-length`, `.bad-value`.
    init(header: DataFileHeader, bytes: RawSpan) throws(DataFileError) {
        // The greatest number of 32 bits means "none".
        let limit = Int(UInt32.max) - 1
        strings = try header.strings(limit: limit)
        (settings, settingsOffset) = try header.entry(FactsSection.factsSettings, in: bytes)
        columns = try header.table(FactsSection.columns, limit: DataFileLimits.factCount)
        columnLists = try header.table(FactsSection.columnLists, limit: limit)

        let directory = try header.section(FactsSection.directory)
        let keys = try header.section(FactsSection.keys)
        let rows = try header.section(FactsSection.rows)
        guard keys.byteCount % 8 == 0 else { throw keys.badLength(FactsSection.keys) }
        rowCount = keys.byteCount / 8
        guard settings.rowCount == UInt64(rowCount) else {
            throw DataFileError(
                .badValue, section: "factsSettings",
                offset: field(\FactsSettingsRecord.rowCount, at: settingsOffset))
        }
        guard settings.directoryByteCount == 4 || settings.directoryByteCount == 8 else {
            throw DataFileError(
                .badValue, section: "factsSettings",
                offset: field(\FactsSettingsRecord.directoryByteCount, at: settingsOffset))
        }
        isDirectoryWide = settings.directoryByteCount == 8
        let entryByteCount = Int(settings.directoryByteCount)
        guard directory.byteCount % entryByteCount == 0, directory.byteCount >= 2 * entryByteCount else {
            throw directory.badLength(FactsSection.directory)
        }
        bucketCount = directory.byteCount / entryByteCount - 1
        guard settings.bucketCount == UInt64(bucketCount) else {
            throw DataFileError(
                .badValue, section: "factsSettings",
                offset: field(\FactsSettingsRecord.bucketCount, at: settingsOffset))
        }
        rowByteCount = Int(settings.rowByteCount)
        let (content, overflows) = rowCount.multipliedReportingOverflow(by: rowByteCount)
        guard !overflows, rows.byteCount >= Self.rowsEndByteCount,
            rows.byteCount - Self.rowsEndByteCount == content
        else { throw rows.badLength(FactsSection.rows) }
        directoryOffset = directory.offset
        keysOffset = keys.offset
        rowsOffset = rows.offset
    }

    /// Returns the numbers of a bucket's rows; nil when the directory has no such bucket or is damaged there.
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

    /// Returns the key of a row.
    @inline(__always)
    func key(ofRow row: Int, in bytes: RawSpan) -> UInt64? { bytes.uint64(at: keysOffset + row * 8) }

    /// Returns the row with this key; nil when there is none. Touches an entry of the directory and the keys of one
    /// bucket.
    func find(_ key: UInt64, in bytes: RawSpan) -> FactsRow? {
        guard let rows = rows(ofBucket: FactsKey.bucket(of: key, among: bucketCount), in: bytes) else {
            return nil
        }
        var low = rows.lowerBound
        var high = rows.upperBound
        // Buckets have about eight rows. A bucket that somebody has filled on purpose is first narrowed down by
        // halving.
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
}
