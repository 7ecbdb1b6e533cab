internal import System

/// An entry of the section table: the kind of a section, its place and its checksum.
public struct DataFileSection: Sendable, Hashable {
    /// The number of the section's kind, see FORMAT.md. Readers skip sections with a number that they do not know.
    public let kind: UInt32
    /// The place where the section starts, in bytes from the start of the file; a multiple of eight.
    public let offset: Int
    /// The length of the section in bytes, without the padding after it.
    public let byteCount: Int
    /// The CRC-32C of the section's bytes.
    public let checksum: UInt32

    /// The offset of the first byte after the section and its padding.
    package var paddedEnd: Int { (offset + byteCount + 7) & ~7 }

    /// Reads the entry at `entry`, and checks it against the file's size and against `end`, the end of the section
    /// before.
    init(reading bytes: RawSpan, at entry: Int, after end: Int, fileByteCount: Int) throws(DataFileError) {
        guard let record = SectionRecord(reading: bytes, at: entry) else {
            throw DataFileError(.truncated, offset: entry)
        }
        let offsetPlace = field(\SectionRecord.offset, at: entry)
        guard record.reserved == 0, record.reservedEnd == 0 else {
            throw DataFileError(.badValue, offset: entry)
        }
        guard record.offset <= UInt64(fileByteCount),
            record.byteCount <= UInt64(fileByteCount) - record.offset
        else { throw DataFileError(.sectionOutside, offset: offsetPlace) }
        guard record.offset % 8 == 0 else { throw DataFileError(.unalignedSection, offset: offsetPlace) }
        guard record.offset == UInt64(end) else {
            throw DataFileError(.misplacedSection, offset: offsetPlace)
        }
        kind = record.kind
        offset = Int(record.offset)
        byteCount = Int(record.byteCount)
        checksum = record.checksum
    }

    package init(kind: UInt32, offset: Int, byteCount: Int, checksum: UInt32) {
        self.kind = kind
        self.offset = offset
        self.byteCount = byteCount
        self.checksum = checksum
    }
}
