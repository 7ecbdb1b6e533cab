/// The first 128 bytes of every facts file, in the order of the file.
package struct HeaderRecord: FileRecord {
    /// `\x89RTN`, then as in PNG CR LF, an end of text (1A) and LF.
    package var magic: UInt64 = 0
    /// The major version of the format.
    package var formatMajor: UInt16 = 0
    /// The minor version of the format.
    package var formatMinor: UInt16 = 0
    /// The length of this header in bytes.
    package var headerByteCount: UInt32 = 0
    /// The length of the whole file in bytes.
    package var fileByteCount: UInt64 = 0
    /// 2: facts.
    package var kind: UInt16 = 0
    /// The number of the environment that the file serves.
    package var environment: UInt16 = 0
    /// The number of entries in the section table.
    package var sectionCount: UInt32 = 0
    /// The app that the file serves, as Apple's number.
    package var appAppleId: Int64 = 0
    /// Not read: earlier versions wrote the time of the build here, too.
    package var unused: Int64 = 0
    /// When the file was made, in milliseconds since 1970.
    package var builtAtMilliseconds: Int64 = 0
    /// The place of the section table: right after this header.
    package var sectionTableOffset: UInt64 = 0
    /// The program that made the file.
    package var writerVersion = WriterVersionField()
    /// Reserved: zero.
    package var reserved: UInt64 = 0
    /// The SHA-256 digest over the whole file except these bytes.
    package var digest = DigestField()

    package init() {}
}

/// The 24 bytes of the writer's version: printable ASCII, filled with zero bytes.
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

/// An entry of the section table, which follows the header.
package struct SectionRecord: FileRecord {
    /// The number of the section's kind.
    package var kind: UInt32 = 0
    /// Reserved: zero.
    package var reserved: UInt32 = 0
    /// The place where the section begins, in bytes from the start of the file; a multiple of eight.
    package var offset: UInt64 = 0
    /// The length of the section in bytes, without the padding after it.
    package var byteCount: UInt64 = 0
    /// The CRC-32C of the section's bytes.
    package var checksum: UInt32 = 0
    /// Reserved: zero.
    package var reservedEnd: UInt32 = 0

    package init() {}
}
