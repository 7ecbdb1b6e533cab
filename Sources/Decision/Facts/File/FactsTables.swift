internal import System

/// The places of the sections of a facts file, and what its settings say. Made once, when the file is opened.
public struct FactsTables: Sendable {
    public let strings: StringTable
    let settings: FactsSettingsRecord
    let settingsOffset: Int
    let columns: RecordTable<FactColumnRecord>
    let columnLists: RecordTable<ReferenceRecord>
    let rowCount: Int
    let bucketCount: Int
    let directoryOffset: Int
    let keysOffset: Int
    let rowsOffset: Int
    let rowByteCount: Int

    /// The number of zero bytes after the last row, for readers that load whole words.
    public static let rowsEndByteCount = 8

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
        guard settings.directoryByteCount == 4 else {
            throw DataFileError(
                .badValue, section: "factsSettings",
                offset: field(\FactsSettingsRecord.directoryByteCount, at: settingsOffset))
        }
        guard directory.byteCount % 4 == 0, directory.byteCount >= 8 else {
            throw directory.badLength(FactsSection.directory)
        }
        bucketCount = directory.byteCount / 4 - 1
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
        guard let start = bytes.uint32(at: directoryOffset + bucket * 4),
            let end = bytes.uint32(at: directoryOffset + bucket * 4 + 4), start <= end, Int(end) <= rowCount
        else { return nil }
        return Int(start)..<Int(end)
    }

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

/// The sections of a facts file, by their numbers in the file. The name of a case is the name of the section in FORMAT.md
/// and in errors.
public enum FactsSection: UInt32, Sendable, CaseIterable {
    public var name: String { "\(self)" }

    case strings = 1
    case stringIndex = 2
    case factsSettings = 64
    case columns = 65
    /// The strings of the columns that number their own strings.
    case columnLists = 66
    /// The first row of each bucket, and the end of the last one.
    case directory = 67
    case keys = 68
    case rows = 69
}

/// The only entry of `factsSettings`: the settings of the whole file.
public struct FactsSettingsRecord: WrittenRecord {
    /// Flags. No bit is known yet, and readers refuse a file with any bit set.
    public var flags: UInt32 = 0
    /// Features that a reader must have. No bit is known yet, and readers refuse a file with any bit set.
    public var requiredFeatures: UInt32 = 0
    public var rowCount: UInt64 = 0
    public var bucketCount: UInt64 = 0
    public var rowByteCount: UInt32 = 0
    /// The width of an entry of the directory in bytes: 4.
    public var directoryByteCount: UInt32 = 0
    public var reserved: UInt64 = 0

    public init() {}
}

/// An entry of `columns`: the fact of a column and its place in a row. A value is `base + unit x stored`.
public struct FactColumnRecord: WrittenRecord {
    public var name = EntryReference.none
    public var kind: UInt8 = 0
    /// The width of a stored number, in bits, 0 to 64.
    public var bitCount: UInt8 = 0
    public var reserved: UInt16 = 0
    /// The place of the stored bits, counted from the row's first bit.
    public var firstBit: UInt32 = 0
    /// The first of the column's strings in `columnLists`, or none.
    public var firstListed = EntryReference.none
    /// The value that a stored zero stands for.
    public var base: Int64 = 0
    /// The difference between the values of two stored numbers that follow each other; at least 1.
    public var unit: UInt64 = 0
    public var listedCount: UInt32 = 0
    public var reservedEnd: UInt32 = 0

    public init() {}
}

/// The places of a column's values in a row, and what the stored bits mean. It has numbers only, so that reading a
/// value needs no reference counting.
struct FactColumnLayout: Sendable {
    let kind: ValueKind
    let presenceBit: Int
    let firstBit: Int
    let bitCount: Int
    let base: Int64
    let unit: UInt64
    let firstListed: Int
    /// The number of the column's own entries in `columnLists`. 0: the stored bits give a string's number in the file.
    let listedCount: Int

    init(_ record: FactColumnRecord, kind: ValueKind, number: Int) {
        self.kind = kind
        presenceBit = number
        firstBit = Int(record.firstBit)
        bitCount = Int(record.bitCount)
        base = record.base
        unit = record.unit
        firstListed = record.firstListed.index
        listedCount = Int(record.listedCount)
    }

    /// Returns the bits that the row starting at `offset` stores for the column; nil when the row has no value.
    @inline(__always)
    func stored(inRowAt offset: Int, _ bytes: RawSpan) -> UInt64? {
        guard let presence = bytes.uint8(at: offset + presenceBit >> 3),
            presence >> UInt8(truncatingIfNeeded: presenceBit & 7) & 1 == 1
        else { return nil }
        guard bitCount > 0 else { return 0 }
        let start = offset + firstBit >> 3
        let shift = UInt64(truncatingIfNeeded: firstBit & 7)
        // Eight zero bytes follow the rows, so that the last row too can be read in whole words.
        guard var word = bytes.uint64(at: start) else { return nil }
        word >>= shift
        if bitCount + firstBit & 7 > 64 {
            guard let rest = bytes.uint8(at: start + 8) else { return nil }
            word |= UInt64(rest) << (64 - shift)
        }
        return bitCount < 64 ? word & (1 << UInt64(truncatingIfNeeded: bitCount) - 1) : word
    }

    /// Returns `base + unit x stored`. The full check has refused files in which this does not fit; here it wraps.
    @inline(__always)
    func value(of stored: UInt64) -> Int64 {
        base &+ Int64(bitPattern: unit &* stored)
    }
}
