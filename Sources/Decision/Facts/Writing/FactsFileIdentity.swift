internal import Cryptography
public import System

/// The contents of a facts file's header.
public struct FactsFileIdentity: Sendable, Hashable {
    public var appAppleId: Int64
    public var environment: Environment
    /// The build time and the writer of the file.
    public var stamp: DataFileStamp

    public init(appAppleId: Int64, environment: Environment, stamp: DataFileStamp) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.stamp = stamp
    }
}

/// The part of a facts file's header that says when and by which program it was made.
public struct DataFileStamp: Sendable, Hashable {
    /// The time at which the file is made, in milliseconds since 1970; not negative.
    public var builtAtMilliseconds: Int64
    /// The name and version of the program that makes the file. Printable ASCII, cut to 24 bytes.
    public var writerVersion: String

    public init(builtAtMilliseconds: Int64, writerVersion: String) {
        self.builtAtMilliseconds = builtAtMilliseconds
        self.writerVersion = writerVersion
    }

    /// The bytes of ``writerVersion`` in a header: characters that are not printable ASCII are dropped, and zeros fill
    /// the rest.
    var writerField: [UInt8] {
        let count = DataFileHeader.writerVersionRange.count
        let text = Array(writerVersion.utf8.filter { (0x20...0x7E).contains($0) }.prefix(count))
        return text + [UInt8](repeating: 0, count: count - text.count)
    }
}

extension DataFileHeader {
    /// Returns the header, with zeros in place of the digest, followed by the section table.
    static func beginning(
        appAppleId: Int64, environment: Environment, stamp: DataFileStamp,
        sections: [DataFileSection]
    ) -> [UInt8] {
        let header = HeaderRecord {
            $0.formatMajor = formatMajor
            $0.formatMinor = formatMinor
            $0.headerByteCount = UInt32(byteCount)
            $0.fileByteCount = UInt64(sections.last?.paddedEnd ?? byteCount)
            $0.kind = kind
            $0.environment = environment.dataFileNumber
            $0.sectionCount = UInt32(sections.count)
            $0.appAppleId = appAppleId
            $0.sectionTableOffset = UInt64(byteCount)
        }
        var file: [UInt8] = []
        file.append(copying: header)
        file.replaceSubrange(0..<magic.count, with: magic)
        put(stamp, into: &file)
        for section in sections {
            let entry = SectionRecord {
                $0.kind = section.kind
                $0.offset = UInt64(section.offset)
                $0.byteCount = UInt64(section.byteCount)
                $0.checksum = section.checksum
            }
            file.append(copying: entry)
        }
        return file
    }

    /// Returns the bytes of a whole file with the digest in its place.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let digest = bytes.span.withRawBytes { Self.digest(of: $0) }.bytes
        var bytes = bytes
        bytes.replaceSubrange(digestRange, with: digest)
        return bytes
    }

    /// Writes a stamp into the header at the beginning of `bytes`.
    private static func put(_ stamp: DataFileStamp, into bytes: inout [UInt8]) {
        guard var header = bytes.span.withRawBytes({ HeaderRecord(reading: $0, at: 0) }) else { return }
        header.builtAtMilliseconds = stamp.builtAtMilliseconds
        bytes.replace(copying: header, at: 0)
        // The record holds the writer version as numbers, so its text is copied in after the record.
        bytes.replaceSubrange(writerVersionRange, with: stamp.writerField)
    }

    /// Returns the file with checksums and a digest that match its bytes. Sections outside the file are left alone.
    /// Tests and fuzzers need this, because readers would refuse any changed file at its checksums.
    public static func resealed(_ bytes: [UInt8]) -> [UInt8] {
        guard let header = bytes.span.withRawBytes({ HeaderRecord(reading: $0, at: 0) }) else { return bytes }
        var bytes = bytes
        for index in 0..<min(Int(header.sectionCount), DataFileLimits.sectionCount) {
            let place = byteCount + index * SectionRecord.byteCount
            let entry = bytes.span.withRawBytes { span -> SectionRecord? in
                guard var entry = SectionRecord(reading: span, at: place),
                    let offset = Int(exactly: entry.offset), let length = Int(exactly: entry.byteCount),
                    span.contains(offset: offset, byteCount: length)
                else { return nil }
                entry.checksum = CRC32.checksum(span.extracting(offset..<offset + length), .castagnoli)
                return entry
            }
            if let entry { bytes.replace(copying: entry, at: place) }
        }
        return sealed(bytes)
    }
}
