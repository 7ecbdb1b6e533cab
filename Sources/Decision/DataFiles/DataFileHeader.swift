public import Cryptography
internal import System
public import Vocabulary

/// The first bytes of a data file, the same for every kind: what it is, whom it serves and where its sections are.
///
/// Reading one checks its fields and the section table against the file's size. It does not look at what the
/// sections hold and does not compare the digest: opening the file does.
///
/// The header and the longest section table are the first ``beginningByteCount`` bytes: what a file says of itself can be
/// looked at before the file is read.
public struct DataFileHeader: Sendable, Hashable {
    /// The major version that this program reads and writes.
    public static let formatMajor: UInt16 = 1
    /// The minor version that this program writes; greater ones only add sections.
    public static let formatMinor: UInt16 = 2
    /// The length of the header in bytes; the section table follows.
    public static let byteCount = 128
    /// The length of a header with the longest section table; a file may be shorter.
    public static let beginningByteCount =
        byteCount + DataFileLimits.sectionCount * DataFileSection.byteCountInTable
    /// Where the digest stands, 32 bytes, over which it is not computed.
    static let digestOffset = 96
    static let writerVersionRange = 64..<88
    /// Whether bytes begin as a data file does; no JSON text begins so.
    public static func hasMagic(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    static let magic: [UInt8] = [0x89, 0x52, 0x54, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A]  // \x89RTN, then as in PNG

    /// The minor version of the format.
    public let formatMinor: UInt16
    /// The length of the whole file in bytes.
    public let fileByteCount: Int
    /// What the file holds.
    public let kind: DataFileKind
    /// The app it serves, Apple's number; above 0.
    public let appAppleId: Int64
    /// The environment it serves.
    public let environment: Environment
    /// Which of two files is newer; above 0.
    public let generation: Int64
    /// When it was made, milliseconds since 1970; not negative.
    public let builtAtMilliseconds: Int64
    /// The program that made it, printable ASCII: `retentionctl 0.1.0`.
    public let writerVersion: String
    /// SHA-256 over the whole file but these 32 bytes, as the file says.
    public let digest: SHA256Digest
    /// The sections in the order of the file.
    public let sections: [DataFileSection]

    /// Reads the header from the start of `bytes`, which must be the whole file.
    ///
    /// - Throws: `data-file.truncated`, `.trailing-bytes`, `.bad-magic`, `.unsupported-version`, `.bad-header`,
    ///   `.wrong-kind`, `.bad-environment`, and the codes of the section table.
    public init(reading bytes: RawSpan) throws(DataFileError) {
        try self.init(beginning: bytes, fileByteCount: bytes.byteCount)
    }

    /// Reads the header of a file of `fileByteCount` bytes from its beginning: all of it, or at least the first
    /// ``beginningByteCount`` bytes.
    ///
    /// - Throws: as ``init(reading:)``.
    public init(beginning bytes: RawSpan, fileByteCount: Int) throws(DataFileError) {
        try Self.checkBeginning(bytes, fileByteCount)
        self.fileByteCount = fileByteCount
        formatMinor = bytes.uint16(at: 10) ?? 0
        guard let kind = bytes.uint16(at: 24).flatMap(DataFileKind.init(rawValue:)) else {
            throw DataFileError(.wrongKind, offset: 24)
        }
        guard let environment = bytes.uint16(at: 26).flatMap(Environment.init(dataFileNumber:)) else {
            throw DataFileError(.badEnvironment, offset: 26)
        }
        guard let app = bytes.int64(at: 32), app > 0 else { throw DataFileError(.badHeader, offset: 32) }
        guard let generation = bytes.int64(at: 40), generation > 0 else {
            throw DataFileError(.badHeader, offset: 40)
        }
        guard let built = bytes.int64(at: 48), built >= 0 else { throw DataFileError(.badHeader, offset: 48) }
        self.kind = kind
        self.environment = environment
        appAppleId = app
        self.generation = generation
        builtAtMilliseconds = built
        writerVersion = try Self.readWriterVersion(bytes)
        guard bytes.uint64(at: 88) == 0 else { throw DataFileError(.badHeader, offset: 88) }
        guard let raw = bytes.bytes(offset: Self.digestOffset, byteCount: 32),
            let digest = SHA256Digest(bytes: raw.span)
        else { throw DataFileError(.truncated, offset: Self.digestOffset) }
        self.digest = digest
        sections = try Self.readSections(bytes, fileByteCount)
    }

    private static func checkBeginning(_ bytes: RawSpan, _ fileByteCount: Int) throws(DataFileError) {
        guard let magic = bytes.bytes(offset: 0, byteCount: 8) else {
            throw DataFileError(.truncated, offset: bytes.byteCount)
        }
        guard magic == Self.magic else { throw DataFileError(.badMagic, offset: 0) }
        guard let major = bytes.uint16(at: 8) else { throw DataFileError(.truncated, offset: 8) }
        guard major == formatMajor else { throw DataFileError(.unsupportedVersion, offset: 8) }
        guard bytes.byteCount >= byteCount else {
            throw DataFileError(.truncated, offset: bytes.byteCount)
        }
        guard bytes.uint32(at: 12) == UInt32(byteCount) else { throw DataFileError(.badHeader, offset: 12) }
        let size = bytes.uint64(at: 16) ?? 0
        guard size <= UInt64(fileByteCount) else {
            throw DataFileError(.truncated, offset: fileByteCount)
        }
        guard size == UInt64(fileByteCount) else { throw DataFileError(.trailingBytes, offset: Int(size)) }
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

    private static func readSections(
        _ bytes: RawSpan,
        _ fileByteCount: Int
    ) throws(DataFileError) -> [DataFileSection] {
        let count = Int(bytes.uint32(at: 28) ?? 0)
        guard count > 0, count <= DataFileLimits.sectionCount else {
            throw DataFileError(.badHeader, offset: 28)
        }
        guard bytes.uint64(at: 56) == UInt64(byteCount) else { throw DataFileError(.badHeader, offset: 56) }
        var end = byteCount + count * DataFileSection.byteCountInTable
        guard end <= fileByteCount else { throw DataFileError(.truncated, offset: fileByteCount) }
        var sections: [DataFileSection] = []
        for index in 0..<count {
            let entry = byteCount + index * DataFileSection.byteCountInTable
            let section = try DataFileSection(
                reading: bytes,
                at: entry,
                after: end,
                fileByteCount: fileByteCount
            )
            guard !sections.contains(where: { $0.kind == section.kind }) else {
                throw DataFileError(.duplicateSection, offset: entry)
            }
            end = section.paddedEnd
            sections.append(section)
        }
        guard end == fileByteCount else { throw DataFileError(.misplacedSection, offset: end) }
        return sections
    }
}

extension Environment {
    /// The number that stands for the environment in a data file.
    var dataFileNumber: UInt16 {
        switch self {
        case .production: 1
        case .sandbox: 2
        case .xcode: 3
        case .localTesting: 4
        }
    }

    init?(dataFileNumber: UInt16) {
        guard let found = Self.allCases.first(where: { $0.dataFileNumber == dataFileNumber }) else {
            return nil
        }
        self = found
    }
}
