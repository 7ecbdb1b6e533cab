internal import Cryptography
package import Facts
internal import System

extension DataFileHeader {
    /// Returns the file with checksums and a digest that match its bytes, because readers would refuse any changed file at its
    /// checksums. Sections outside the file are left alone.
    package static func resealed(_ bytes: [UInt8]) -> [UInt8] {
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
        let digest = bytes.span.withRawBytes { Self.digest(of: $0) }.bytes
        bytes.replaceSubrange(digestRange, with: digest)
        return bytes
    }
}
