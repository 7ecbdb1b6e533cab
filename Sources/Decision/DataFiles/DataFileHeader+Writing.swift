internal import Cryptography
internal import System
internal import Vocabulary

extension DataFileHeader {
    /// The header, with zeros where the digest will stand, and the section table behind it.
    static func beginning(
        kind: DataFileKind,
        appAppleId: Int64,
        environment: Environment,
        stamp: DataFileStamp,
        sections: [DataFileSection]
    ) -> [UInt8] {
        let end = sections.last?.paddedEnd ?? byteCount
        var file = ByteBuffer()
        file.append(contentsOf: magic)
        file.append(formatMajor)
        file.append(Self.formatMinor)
        file.append(UInt32(byteCount))
        file.append(UInt64(end))
        file.append(kind.rawValue)
        file.append(environment.dataFileNumber)
        file.append(UInt32(sections.count))
        file.append(appAppleId)
        file.append(stamp.generation)
        file.append(stamp.builtAtMilliseconds)
        file.append(UInt64(byteCount))
        file.append(contentsOf: stamp.writerField)
        file.append(UInt64(0))
        file.append(contentsOf: [UInt8](repeating: 0, count: 32))
        for section in sections {
            file.append(section.kind)
            file.append(UInt32(0))
            file.append(UInt64(section.offset))
            file.append(UInt64(section.byteCount))
            file.append(section.checksum)
            file.append(UInt32(0))
        }
        return file.bytes
    }

    /// Puts the digest of a whole file in its place.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let digest = bytes.span.withRawBytes { Self.digest(of: $0) }.bytes
        var bytes = bytes
        bytes.replaceSubrange(digestOffset..<digestOffset + 32, with: digest)
        return bytes
    }

    /// Makes checksums and digest fit whatever the bytes are, as far as the section table makes sense: for tests and
    /// fuzzers, which would otherwise never come past them.
    package static func resealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= byteCount else { return bytes }
        var bytes = bytes
        let count = bytes.span.withRawBytes { $0.uint32(at: 28) } ?? 0
        for index in 0..<min(Int(count), DataFileLimits.sectionCount) {
            let entry = byteCount + index * DataFileSection.byteCountInTable
            let checksum = bytes.span.withRawBytes { span -> UInt32? in
                guard let offset = span.uint64(at: entry + 8).flatMap(Int.init(exactly:)),
                    let length = span.uint64(at: entry + 16).flatMap(Int.init(exactly:)),
                    span.contains(offset: entry, byteCount: DataFileSection.byteCountInTable),
                    span.contains(offset: offset, byteCount: length)
                else { return nil }
                return CRC32C.checksum(span.extracting(offset..<offset + length))
            }
            guard let checksum else { continue }
            var field = ByteBuffer()
            field.append(checksum)
            bytes.replaceSubrange(entry + 24..<entry + 28, with: field.bytes)
        }
        return sealed(bytes)
    }
}
