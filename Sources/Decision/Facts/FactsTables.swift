public import System

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
        guard directory.byteCount % 4 == 0, directory.byteCount >= 8 else {
            throw directory.badLength(FactsSection.directory)
        }
        bucketCount = directory.byteCount / 4 - 1
        guard settings.rowCount == UInt64(rowCount), settings.bucketCount == UInt64(bucketCount),
            settings.directoryByteCount == 4
        else { throw DataFileError(.badValue, .factsSettings, settingsOffset) }
        rowByteCount = Int(settings.rowByteCount)
        let (content, overflows) = rowCount.multipliedReportingOverflow(by: rowByteCount)
        guard !overflows, rows.byteCount >= Self.rowsEndByteCount,
            rows.byteCount - Self.rowsEndByteCount == content
        else { throw rows.badLength(FactsSection.rows) }
        directoryOffset = directory.offset
        keysOffset = keys.offset
        rowsOffset = rows.offset
    }

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

/// The name of a case is the name of the section in FORMAT.md and in errors.
public enum FactsSection: UInt32, Sendable, CaseIterable {
    public var name: String { "\(self)" }

    case strings = 1
    case stringIndex = 2
    case factsSettings = 64
    case columns = 65
    case columnLists = 66
    case directory = 67
    case keys = 68
    case rows = 69
}

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
    public var bitCount: UInt8 = 0
    public var reserved: UInt16 = 0
    public var firstBit: UInt32 = 0
    /// The first of the column's strings in `columnLists`, or none.
    public var firstListed = EntryReference.none
    public var base: Int64 = 0
    /// The difference between the values of two stored numbers that follow each other; at least 1.
    public var unit: UInt64 = 0
    public var listedCount: UInt32 = 0
    public var reservedEnd: UInt32 = 0

    public init() {}
}

/// Numbers only, so that reading a value needs no reference counting.
struct FactColumnLayout: Sendable {
    let kind: ValueKind
    let presenceBit: Int
    let firstBit: Int
    let bitCount: Int
    let base: Int64
    let unit: UInt64
    let firstListed: Int
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

/// Each once, in the order of their bytes. A decision finds a string of the request once and from then on compares
/// numbers.
public struct StringTable: Sendable {
    @usableFromInline let index: RecordTable<ReferenceRecord>
    @usableFromInline let poolOffset: Int
    @usableFromInline let poolByteCount: Int
    /// The hash table of the strings, see ``StringBuckets``. Empty for a facts file, whose strings nobody looks up.
    @usableFromInline let buckets: RecordTable<ReferenceRecord>

    public init(
        index: RecordTable<ReferenceRecord>, poolOffset: Int, poolByteCount: Int,
        buckets: RecordTable<ReferenceRecord> = RecordTable(offset: 0, count: 0)
    ) {
        self.index = index
        self.buckets = buckets
        self.poolOffset = poolOffset
        self.poolByteCount = poolByteCount
    }

    @inlinable
    public var count: Int { Swift.max(index.count - 1, 0) }

    @inlinable
    public func range(of reference: EntryReference, in bytes: RawSpan) -> Range<Int>? {
        // The entry after a string's own tells where the string ends, so one load of eight bytes reads both.
        guard reference.index < index.count - 1,
            let both = bytes.uint64(at: index.offset &+ reference.index &* ReferenceRecord.byteCount)
        else { return nil }
        let start = Int(UInt32(truncatingIfNeeded: both))
        let end = Int(both >> 32)
        guard start <= end, end <= poolByteCount else { return nil }
        return poolOffset &+ start..<poolOffset &+ end
    }

    @inlinable
    public func find(_ text: Span<UInt8>, in bytes: RawSpan) -> EntryReference {
        let mask = buckets.count &- 1
        var place = Int(truncatingIfNeeded: text.wordHash) & mask
        // An empty bucket ends the search: there are twice as many buckets as strings.
        for _ in 0..<buckets.count {
            guard let number = buckets.record(at: place, in: bytes)?.reference,
                let range = range(of: number, in: bytes)
            else { return .none }
            if range.count == text.count,
                bytes.compare(offset: range.lowerBound, byteCount: range.count, with: text) == 0
            {
                return number
            }
            place = (place &+ 1) & mask
        }
        return .none
    }

    @inlinable
    public func isPrefix(_ reference: EntryReference, of text: Span<UInt8>, in bytes: RawSpan) -> Bool {
        guard let range = range(of: reference, in: bytes), range.count <= text.count else { return false }
        let start = text.extracting(first: range.count)
        return bytes.compare(offset: range.lowerBound, byteCount: range.count, with: start) == 0
    }

    public func string(_ reference: EntryReference, in bytes: RawSpan) -> String? {
        guard let range = range(of: reference, in: bytes) else { return nil }
        return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text in
            guard let text = try? UTF8Span(validating: text) else { return String?.none }
            return String(copying: text)
        } ?? nil
    }

    /// Checks what the lookups rely on: the strings are ascending, without repetition, UTF-8, inside the pool, and use
    /// all of it.
    ///
    /// It does not validate every string by itself: it checks that the pool as a whole is UTF-8 and that no string
    /// begins inside a character. This stays fast with millions of strings.
    func check(_ bytes: RawSpan, longest: Int) throws(DataFileError) {
        let wrong = bytes.withSpan(offset: poolOffset, byteCount: poolByteCount) { $0.firstNonUTF8 ?? -1 }
        guard let wrong, wrong < 0 else {
            throw DataFileError(.badString, .strings, poolOffset + (wrong ?? 0))
        }
        guard index.record(at: 0, in: bytes)?.reference.number == 0 else {
            throw DataFileError(.badString, .stringIndex, index.offset(of: 0))
        }
        var before = 0..<0
        for number in 0..<count {
            let entry = index.offset(of: number)
            guard let range = range(of: EntryReference(UInt32(number)), in: bytes), range.count <= longest,
                range.isEmpty || (bytes.uint8(at: range.lowerBound) ?? 0) & 0xC0 != 0x80
            else { throw DataFileError(.badString, .stringIndex, entry) }
            guard number == 0 || Self.precedes(before, range, bytes) else {
                throw DataFileError(.unordered, .stringIndex, entry)
            }
            before = range
        }
        guard index.record(at: count, in: bytes)?.reference.index == poolByteCount else {
            throw DataFileError(.badString, .stringIndex, index.offset(of: count))
        }
    }

    private static func precedes(_ left: Range<Int>, _ right: Range<Int>, _ bytes: RawSpan) -> Bool {
        let order = bytes.withSpan(offset: right.lowerBound, byteCount: right.count) {
            bytes.compare(offset: left.lowerBound, byteCount: left.count, with: $0)
        }
        return order.flatMap { $0 }.map { $0 < 0 } ?? false
    }
}

/// The key of a row: an originalTransactionId as a number, 1 to 2^64 - 1, compared exactly.
public enum FactsKey {
    private static let digitCount = 20

    /// Digits only, no sign, no leading zero. Returns nil for any other text, which no row has as its key.
    public static func parse(decimal text: Span<UInt8>) -> UInt64? {
        guard text.count > 0, text.count <= digitCount, text[0] != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        // Any number with fewer than 20 digits is below 2^64.
        let safeCount = min(text.count, digitCount - 1)
        for index in 0..<safeCount {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        guard safeCount < text.count else { return value }
        let digit = text[safeCount] &- UInt8(ascii: "0")
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
        return digit > 9 || overflows || carries ? nil : sum
    }

    public static func parse(decimal text: String) -> UInt64? {
        parse(decimal: text.utf8Span.span)
    }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood 2014). Two keys never give the same number.
    public static func mixed(_ key: UInt64) -> UInt64 {
        var value = key
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// The high half of a product, so the buckets are in the order of the mixed keys.
    public static func bucket(of key: UInt64, among bucketCount: Int) -> Int {
        let product = mixed(key).multipliedFullWidth(by: UInt64(truncatingIfNeeded: bucketCount))
        return Int(truncatingIfNeeded: product.high)
    }
}
