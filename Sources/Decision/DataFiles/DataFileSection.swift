internal import System

/// One entry of the section table: where a section is.
public struct DataFileSection: Sendable, Hashable {
    /// What it holds, see FORMAT.md; numbers unknown to this program are allowed and skipped.
    public let kind: UInt32
    /// Where it starts, in bytes from the start of the file; a multiple of eight.
    public let offset: Int
    /// Its length in bytes, without the padding after it.
    public let byteCount: Int
    /// CRC-32C of its bytes.
    public let checksum: UInt32

    /// The first byte after the section and its padding.
    package var paddedEnd: Int { (offset + byteCount + 7) & ~7 }

    /// Reads one entry and holds it against the file's size and the end of the section before.
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

    /// A section that is being written.
    package init(kind: UInt32, offset: Int, byteCount: Int, checksum: UInt32) {
        self.kind = kind
        self.offset = offset
        self.byteCount = byteCount
        self.checksum = checksum
    }
}
