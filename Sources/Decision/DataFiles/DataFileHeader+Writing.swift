internal import Vocabulary

extension DataFileHeader {
    /// The header, with zeros where the digest will stand, and the section table behind it.
    static func beginning(
        kind: DataFileKind,
        appAppleId: Int64,
        environment: Environment,
        stamp: RulesFileStamp,
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
        let room = writerVersionRange.count
        let writer = Array(stamp.writerVersion.utf8.filter { (0x20...0x7E).contains($0) }.prefix(room))
        file.append(contentsOf: writer + [UInt8](repeating: 0, count: room - writer.count))
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
}
