public import Cryptography
public import System

/// The header of a facts file: what the file is, whom it serves and where its sections are. Reading it checks its
/// fields and the section table; ``FactsFile`` checks the contents.
public struct DataFileHeader: Sendable, Hashable {
    public static let formatMajor: UInt16 = 1
    /// The smallest that is read, too. Greater ones only add sections.
    public static let formatMinor: UInt16 = 2
    public static let byteCount = HeaderRecord.byteCount
    /// The header with the longest section table: enough to read what a file says of itself.
    public static let beginningByteCount =
        byteCount + DataFileLimits.sectionCount * SectionRecord.byteCount
    public static let digestRange = range(of: \.digest, byteCount: MemoryLayout<DigestField>.size)
    public static let writerVersionRange = range(
        of: \.writerVersion, byteCount: MemoryLayout<WriterVersionField>.size)

    private static func range(of field: PartialKeyPath<HeaderRecord>, byteCount: Int) -> Range<Int> {
        let start = HeaderRecord.offset(of: field)
        return start..<start + byteCount
    }

    public static func hasMagic(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// The first bytes of a data file: a byte above 7F, `RTN`, then as in PNG CR LF, an end of text (1A) and LF.
    public static let magic: [UInt8] = [0x89, 0x52, 0x54, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A]

    public static let kind: UInt16 = 2

    public let formatMinor: UInt16
    public let fileByteCount: Int
    public let appAppleId: Int64
    public let environment: Environment
    public let builtAtMilliseconds: Int64
    public let writerVersion: String
    public let digest: SHA256Digest
    public let sections: [DataFileSection]

    public init(beginning bytes: RawSpan, fileByteCount: Int) throws(DataFileError) {
        let record = try Self.readBeginning(bytes, fileByteCount)
        self.fileByteCount = fileByteCount
        formatMinor = record.formatMinor
        guard record.kind == Self.kind else { throw Self.error(.wrongKind, \.kind) }
        guard let environment = Environment(dataFileNumber: record.environment) else {
            throw Self.error(.badEnvironment, \.environment)
        }
        guard record.appAppleId > 0 else { throw Self.error(.badHeader, \.appAppleId) }
        guard record.builtAtMilliseconds >= 0 else { throw Self.error(.badHeader, \.builtAtMilliseconds) }
        self.environment = environment
        appAppleId = record.appAppleId
        builtAtMilliseconds = record.builtAtMilliseconds
        writerVersion = try Self.readWriterVersion(bytes)
        guard record.reserved == 0 else { throw Self.error(.badHeader, \.reserved) }
        let range = Self.digestRange
        guard let raw = bytes.bytes(offset: range.lowerBound, byteCount: range.count),
            let digest = SHA256Digest(bytes: raw.span)
        else { throw Self.error(.truncated, \.digest) }
        self.digest = digest
        sections = try Self.readSections(record, bytes, fileByteCount)
    }

    static func error(_ reason: DataFileError.Reason, _ field: PartialKeyPath<HeaderRecord>) -> DataFileError
    {
        DataFileError(reason, offset: HeaderRecord.offset(of: field))
    }

    private static func readBeginning(_ bytes: RawSpan, _ fileByteCount: Int) throws(DataFileError)
        -> HeaderRecord
    {
        guard let magic = bytes.bytes(offset: 0, byteCount: magic.count) else {
            throw DataFileError(.truncated, offset: bytes.byteCount)
        }
        guard magic == Self.magic else { throw error(.badMagic, \.magic) }
        // The version is checked before the length, so that a shorter file of another version is refused for its
        // version.
        let versionOffset = HeaderRecord.offset(of: \.formatMajor)
        guard let major = bytes.uint16(at: versionOffset) else { throw error(.truncated, \.formatMajor) }
        guard major == formatMajor else { throw error(.unsupportedVersion, \.formatMajor) }
        guard let record = HeaderRecord(reading: bytes, at: 0) else {
            throw DataFileError(.truncated, offset: bytes.byteCount)
        }
        guard record.formatMinor >= formatMinor else { throw error(.unsupportedVersion, \.formatMinor) }
        guard record.headerByteCount == UInt32(byteCount) else { throw error(.badHeader, \.headerByteCount) }
        guard record.fileByteCount <= UInt64(fileByteCount) else {
            throw DataFileError(.truncated, offset: fileByteCount)
        }
        guard record.fileByteCount == UInt64(fileByteCount) else {
            throw DataFileError(.trailingBytes, offset: Int(record.fileByteCount))
        }
        return record
    }

    private static func readWriterVersion(_ bytes: RawSpan) throws(DataFileError) -> String {
        let field =
            bytes.bytes(offset: writerVersionRange.lowerBound, byteCount: writerVersionRange.count) ?? []
        let text = field.prefix { $0 != 0 }
        guard field.dropFirst(text.count).allSatisfy({ $0 == 0 }),
            text.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw DataFileError(.badHeader, offset: writerVersionRange.lowerBound) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func readSections(_ record: HeaderRecord, _ bytes: RawSpan, _ fileByteCount: Int)
        throws(DataFileError) -> [DataFileSection]
    {
        let count = Int(record.sectionCount)
        guard count > 0, count <= DataFileLimits.sectionCount else { throw error(.badHeader, \.sectionCount) }
        guard record.sectionTableOffset == UInt64(byteCount) else {
            throw error(.badHeader, \.sectionTableOffset)
        }
        var end = byteCount + count * SectionRecord.byteCount
        guard end <= fileByteCount else { throw DataFileError(.truncated, offset: fileByteCount) }
        var sections: [DataFileSection] = []
        for index in 0..<count {
            let entry = byteCount + index * SectionRecord.byteCount
            let section = try DataFileSection(
                reading: bytes, at: entry, after: end, fileByteCount: fileByteCount)
            guard !sections.contains(where: { $0.kind == section.kind }) else {
                throw DataFileError(.duplicateSection, offset: entry)
            }
            end = section.paddedEnd
            sections.append(section)
        }
        guard end == fileByteCount else { throw DataFileError(.misplacedSection, offset: end) }
        return sections
    }

    public static func digest(of bytes: RawSpan) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes.extracting(first: digestRange.lowerBound))
        hasher.update(bytes.extracting(droppingFirst: digestRange.upperBound))
        return hasher.finalize()
    }

    /// The digest covers all of the file. When it is another, the checksums tell which section is damaged.
    func checkContents(_ bytes: RawSpan) throws(DataFileError) {
        let isWhole = Self.digest(of: bytes) == digest
        for section in sections {
            let name = FactsSection(rawValue: section.kind)?.name ?? "\(section.kind)"
            let content = bytes.extracting(section.offset..<section.offset + section.byteCount)
            guard isWhole || CRC32.checksum(content, .castagnoli) == section.checksum else {
                throw DataFileError(.badSectionChecksum, section: name, offset: section.offset)
            }
            for offset in section.offset + section.byteCount..<section.paddedEnd
            where bytes.uint8(at: offset) != 0 {
                throw DataFileError(.badValue, section: name, offset: offset)
            }
        }
        guard isWhole else { throw Self.error(.badDigest, \.digest) }
    }
}

extension Environment {
    public var dataFileNumber: UInt16 {
        switch self {
        case .production: 1
        case .sandbox: 2
        case .xcode: 3
        case .localTesting: 4
        }
    }

    public init?(dataFileNumber: UInt16) {
        guard let found = Self.allCases.first(where: { $0.dataFileNumber == dataFileNumber }) else {
            return nil
        }
        self = found
    }
}

extension DataFileHeader {
    func section(_ kind: FactsSection) throws(DataFileError) -> DataFileSection {
        guard let section = sections.first(where: { $0.kind == kind.rawValue }) else {
            throw DataFileError(.missingSection, section: kind.name, offset: Self.byteCount)
        }
        return section
    }

    func table<Record: FileRecord>(_ kind: FactsSection, limit: Int) throws(DataFileError) -> RecordTable<
        Record
    > {
        let section = try section(kind)
        guard section.byteCount % Record.byteCount == 0, section.byteCount / Record.byteCount <= limit else {
            throw section.badLength(kind)
        }
        return RecordTable(offset: section.offset, count: section.byteCount / Record.byteCount)
    }

    func entry<Record: FileRecord>(_ kind: FactsSection, in bytes: RawSpan) throws(DataFileError) -> (
        record: Record, offset: Int
    ) {
        let section = try section(kind)
        guard section.byteCount == Record.byteCount,
            let record = Record(reading: bytes, at: section.offset)
        else { throw section.badLength(kind) }
        return (record, section.offset)
    }

    func strings(limit: Int) throws(DataFileError) -> StringTable {
        let pool = try section(FactsSection.strings)
        let index: RecordTable<ReferenceRecord> = try table(FactsSection.stringIndex, limit: limit)
        return StringTable(index: index, poolOffset: pool.offset, poolByteCount: pool.byteCount)
    }
}

extension DataFileSection {
    func badLength(_ kind: FactsSection) -> DataFileError {
        DataFileError(.badSectionLength, section: kind.name, offset: offset)
    }
}

public struct DataFileSection: Sendable, Hashable {
    /// The number of the section's kind, see FORMAT.md. Readers skip sections with a number that they do not know.
    public let kind: UInt32
    public let offset: Int
    public let byteCount: Int
    public let checksum: UInt32

    public var paddedEnd: Int { (offset + byteCount + 7) & ~7 }

    init(reading bytes: RawSpan, at entry: Int, after end: Int, fileByteCount: Int) throws(DataFileError) {
        guard let record = SectionRecord(reading: bytes, at: entry) else {
            throw DataFileError(.truncated, offset: entry)
        }
        guard record.reserved == 0, record.reservedEnd == 0 else {
            throw DataFileError(.badValue, offset: entry)
        }
        guard record.offset <= UInt64(fileByteCount),
            record.byteCount <= UInt64(fileByteCount) - record.offset
        else { throw DataFileError(.sectionOutside, offset: entry) }
        guard record.offset % 8 == 0 else { throw DataFileError(.unalignedSection, offset: entry) }
        guard record.offset == UInt64(end) else { throw DataFileError(.misplacedSection, offset: entry) }
        kind = record.kind
        offset = Int(record.offset)
        byteCount = Int(record.byteCount)
        checksum = record.checksum
    }

    public init(kind: UInt32, offset: Int, byteCount: Int, checksum: UInt32) {
        self.kind = kind
        self.offset = offset
        self.byteCount = byteCount
        self.checksum = checksum
    }
}

public struct HeaderRecord: WrittenRecord {
    /// `\x89RTN`, then as in PNG CR LF, an end of text (1A) and LF.
    public var magic: UInt64 = 0
    public var formatMajor: UInt16 = 0
    public var formatMinor: UInt16 = 0
    public var headerByteCount: UInt32 = 0
    public var fileByteCount: UInt64 = 0
    public var kind: UInt16 = 0
    public var environment: UInt16 = 0
    public var sectionCount: UInt32 = 0
    public var appAppleId: Int64 = 0
    /// Not read: earlier versions wrote the time of the build here, too.
    public var unused: Int64 = 0
    public var builtAtMilliseconds: Int64 = 0
    public var sectionTableOffset: UInt64 = 0
    public var writerVersion = WriterVersionField()
    public var reserved: UInt64 = 0
    public var digest = DigestField()

    public init() {}
}

public struct WriterVersionField: BitwiseCopyable, Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
}

public struct DigestField: BitwiseCopyable, Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0
}

public struct SectionRecord: WrittenRecord {
    public var kind: UInt32 = 0
    public var reserved: UInt32 = 0
    public var offset: UInt64 = 0
    public var byteCount: UInt64 = 0
    public var checksum: UInt32 = 0
    public var reservedEnd: UInt32 = 0

    public init() {}
}

/// An entry of fixed width in a section, little-endian: its stored properties are its layout, which `FactsTests`
/// compares with FORMAT.md. Reading an entry does not check what its numbers mean: the process that loads a file does
/// that once.
public protocol FileRecord: BitwiseCopyable, Hashable, Sendable {}

public protocol WrittenRecord: FileRecord {
    init()
}

extension WrittenRecord {
    /// Makes an entry with the fields that `set` assigns; all others are zero or none.
    public init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }
}

extension FileRecord {
    @inlinable
    public static var byteCount: Int { MemoryLayout<Self>.size }

    public static func offset(of field: PartialKeyPath<Self>) -> Int {
        guard let offset = MemoryLayout<Self>.offset(of: field) else {
            preconditionFailure("a field is a stored property")
        }
        return offset
    }

    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let entry = bytes.load(as: Self.self, at: offset) else { return nil }
        self = entry
    }
}

public struct RecordTable<Record: FileRecord>: Sendable {
    @usableFromInline let offset: Int
    public let count: Int

    public init(offset: Int, count: Int) {
        self.offset = offset
        self.count = count
    }

    @inlinable
    @inline(__always)
    public func record(at index: Int, in bytes: RawSpan) -> Record? {
        // As an unsigned number, a negative index is greater than any count. The count is never negative and was
        // checked against the file's length, so nothing below overflows.
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return nil }
        return Record(reading: bytes, at: offset &+ index &* Record.byteCount)
    }

    func offset(of index: Int) -> Int { offset + index * Record.byteCount }
}

/// An entry of `numberLists`. The operands of a list stand together, ascending, without repetition.
public struct NumberRecord: FileRecord {
    /// An integer, a date in milliseconds since 1970, or 0 and 1 for false and true.
    public var number: Int64 = 0

    public init(number: Int64 = 0) { self.number = number }
}

/// An entry that is one number: a reference, or a place among the bytes of `strings` in `stringIndex`.
public struct ReferenceRecord: FileRecord {
    public var reference = EntryReference.none

    public init(reference: EntryReference = .none) { self.reference = reference }
}

extension RecordTable<ReferenceRecord> {
    /// Returns true when `number` is in one of the `count` entries from `first` on, which must be ascending.
    @inlinable
    @inline(__always)
    public func contains(_ number: UInt32, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * ReferenceRecord.byteCount, count: count)
    }
}

extension RecordTable<NumberRecord> {
    @inlinable
    @inline(__always)
    public func contains(_ number: Int64, first: Int, count: Int, in bytes: RawSpan) -> Bool {
        guard count >= 0, count <= self.count, first <= self.count - count else { return false }
        return bytes.ascending(number, at: offset + first * NumberRecord.byteCount, count: count)
    }
}

/// The number of an entry in another section: a string, an outcome, a condition.
public struct EntryReference: BitwiseCopyable, Sendable, Hashable {
    public let number: UInt32

    @inlinable
    @inline(__always)
    public init(_ number: UInt32) {
        self.number = number
    }

    @inlinable public static var none: EntryReference { EntryReference(.max) }

    @inlinable
    public var isNone: Bool { number == .max }

    @inlinable
    public var index: Int { Int(number) }
}

/// The bytes of an opened data file: mapped memory or a copy.
public enum DataFileBytes: ~Copyable, Sendable {
    case mapped(MappedMemory)
    case copied([UInt8])

    public borrowing func readAhead() {
        switch self {
        case .mapped(let memory): memory.readAhead()
        case .copied: break
        }
    }

    @inlinable
    @inline(__always)
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .mapped(let memory): try memory.withBytes(body)
        case .copied(let bytes): try bytes.span.withRawBytes(body)
        }
    }
}

extension DataFileHeader {
    /// If `check` is `.full`, also compares the digest.
    public init(opening bytes: RawSpan, check: DataFileCheck) throws(DataFileError) {
        try self.init(beginning: bytes, fileByteCount: bytes.byteCount)
        if check == .full { try checkContents(bytes) }
    }
}
