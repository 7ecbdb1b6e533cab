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

    static let byteCountInTable = 32

    /// The first byte after the section and its padding.
    var paddedEnd: Int { (offset + byteCount + 7) & ~7 }

    /// Reads one entry and holds it against the file's size and the end of the section before.
    init(reading bytes: RawSpan, at entry: Int, after end: Int, fileByteCount: Int) throws(DataFileError) {
        guard let kind = bytes.uint32(at: entry), let flags = bytes.uint32(at: entry + 4),
            let offset = bytes.uint64(at: entry + 8), let byteCount = bytes.uint64(at: entry + 16),
            let checksum = bytes.uint32(at: entry + 24), let reserved = bytes.uint32(at: entry + 28)
        else { throw DataFileError(.truncated, offset: entry) }
        guard flags == 0, reserved == 0 else { throw DataFileError(.badValue, offset: entry) }
        guard offset <= UInt64(fileByteCount), byteCount <= UInt64(fileByteCount) - offset else {
            throw DataFileError(.sectionOutside, offset: entry + 8)
        }
        guard offset % 8 == 0 else { throw DataFileError(.unalignedSection, offset: entry + 8) }
        guard offset == UInt64(end) else { throw DataFileError(.misplacedSection, offset: entry + 8) }
        self.kind = kind
        self.offset = Int(offset)
        self.byteCount = Int(byteCount)
        self.checksum = checksum
    }

    init(kind: UInt32, offset: Int, byteCount: Int, checksum: UInt32) {
        self.kind = kind
        self.offset = offset
        self.byteCount = byteCount
        self.checksum = checksum
    }
}
