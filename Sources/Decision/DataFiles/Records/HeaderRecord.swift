/// The first 128 bytes of every data file, as they lie there.
package struct HeaderRecord: FileRecord {
    /// `\x89RTN`, then as in PNG: a byte above 7 bits, both line ends, an end of text.
    package var magic: UInt64 = 0
    /// The major version of the format.
    package var formatMajor: UInt16 = 0
    /// The minor version of the format.
    package var formatMinor: UInt16 = 0
    /// The length of this header.
    package var headerByteCount: UInt32 = 0
    /// The length of the whole file.
    package var fileByteCount: UInt64 = 0
    /// A ``DataFileKind``.
    package var kind: UInt16 = 0
    /// The environment that the file serves.
    package var environment: UInt16 = 0
    /// The number of entries in the section table.
    package var sectionCount: UInt32 = 0
    /// The app that the file serves, Apple's number.
    package var appAppleId: Int64 = 0
    /// Which of two files is newer.
    package var generation: Int64 = 0
    /// When the file was made, milliseconds since 1970.
    package var builtAtMilliseconds: Int64 = 0
    /// Where the section table begins: behind this header.
    package var sectionTableOffset: UInt64 = 0
    /// The program that made the file.
    package var writerVersion = WriterVersionField()
    /// Zero.
    package var reserved: UInt64 = 0
    /// SHA-256 over the whole file but these bytes.
    package var digest = DigestField()

    package init() {}
}

/// 24 bytes: printable ASCII, filled with zero bytes.
package struct WriterVersionField: BitwiseCopyable, Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
}

/// The 32 bytes of a SHA-256 digest.
package struct DigestField: BitwiseCopyable, Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0
}

/// An entry of the section table behind the header.
package struct SectionRecord: FileRecord {
    /// What the section holds.
    package var kind: UInt32 = 0
    /// Zero.
    package var reserved: UInt32 = 0
    /// Where it begins, a multiple of eight.
    package var offset: UInt64 = 0
    /// Its length without the padding after it.
    package var byteCount: UInt64 = 0
    /// CRC-32C of its bytes.
    package var checksum: UInt32 = 0
    /// Zero.
    package var reservedEnd: UInt32 = 0

    package init() {}
}
