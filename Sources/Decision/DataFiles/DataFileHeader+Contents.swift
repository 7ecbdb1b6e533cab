package import Cryptography
internal import System

extension DataFileHeader {
    /// Returns the SHA-256 digest over all bytes except the 32 bytes of the digest itself.
    package static func digest(of bytes: RawSpan) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes.extracting(first: digestRange.lowerBound))
        hasher.update(bytes.extracting(droppingFirst: digestRange.upperBound))
        return hasher.finalize()
    }

    private func sectionName(_ number: UInt32) -> String {
        let known: String? =
            switch kind {
            case .rules: RulesSection(rawValue: number)?.name
            case .facts: FactsSection(rawValue: number)?.name
            }
        return known ?? "\(number)"
    }

    /// Checks the checksum and the padding of each section, then the digest. The checksums come first because they tell
    /// which section is damaged.
    func checkContents(_ bytes: RawSpan) throws(DataFileError) {
        for section in sections {
            let name = sectionName(section.kind)
            let content = bytes.extracting(section.offset..<section.offset + section.byteCount)
            guard CRC32C.checksum(content) == section.checksum else {
                throw DataFileError(.badSectionChecksum, section: name, offset: section.offset)
            }
            for offset in section.offset + section.byteCount..<section.paddedEnd
            where bytes.uint8(at: offset) != 0 {
                throw DataFileError(.badValue, section: name, offset: offset)
            }
        }
        guard Self.digest(of: bytes) == digest else {
            throw Self.error(.badDigest, \.digest)
        }
    }
}
