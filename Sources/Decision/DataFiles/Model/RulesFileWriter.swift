internal import Cryptography
internal import System
internal import Vocabulary

/// What a file says about its own making.
public struct RulesFileStamp: Sendable, Hashable {
    /// Which of two files is newer; above 0.
    public var generation: Int64
    /// When it is made, milliseconds since 1970; not negative.
    public var builtAtMilliseconds: Int64
    /// The program that makes it; printable ASCII, cut to 24 bytes.
    public var writerVersion: String

    /// Makes one.
    public init(generation: Int64, builtAtMilliseconds: Int64, writerVersion: String) {
        self.generation = generation
        self.builtAtMilliseconds = builtAtMilliseconds
        self.writerVersion = writerVersion
    }
}

/// Writes rules files. Equal model and stamp give equal bytes.
public enum RulesFileWriter {
    /// The bytes of the file.
    ///
    /// The model is the compiler's, which has checked it. What the format cannot express (a message that is not
    /// there, a group without children) gives a file that ``RulesFile`` refuses to open.
    public static func write(_ model: RulesModel, stamp: RulesFileStamp) -> [UInt8] {
        var sections = RulesSectionsWriter(model)
        sections.write()
        var contents: [(kind: RulesSection, bytes: [UInt8])] = []
        for kind in RulesSection.allCases {
            contents.append((kind, sections.buffers[kind]?.bytes ?? []))
        }
        return assemble(
            contents,
            kind: .rules,
            appAppleId: model.appAppleId,
            environment: model.environment,
            stamp: stamp
        )
    }

    /// The same file under another stamp: the rollback in an incident. Sections that this program does not know are
    /// kept as they are.
    ///
    /// - Throws: what opening the old file in full throws.
    public static func restamp(_ bytes: [UInt8], stamp: RulesFileStamp) throws(DataFileError) -> [UInt8] {
        let header = try RulesFile(bytes: bytes, check: .full).header
        var file = ByteBuffer()
        file.append(contentsOf: Array(bytes[..<40]))
        file.append(stamp.generation)
        file.append(stamp.builtAtMilliseconds)
        file.append(contentsOf: Array(bytes[56..<64]))
        append(writerVersion: stamp.writerVersion, to: &file)
        file.append(contentsOf: Array(bytes[88...]))
        precondition(file.bytes.count == header.fileByteCount)
        return sealed(file.bytes)
    }

    private static func assemble(
        _ sections: [(kind: RulesSection, bytes: [UInt8])],
        kind: DataFileKind,
        appAppleId: Int64,
        environment: Environment,
        stamp: RulesFileStamp
    ) -> [UInt8] {
        var table: [DataFileSection] = []
        var end = DataFileHeader.byteCount + sections.count * DataFileSection.byteCountInTable
        for section in sections {
            let entry = DataFileSection(
                kind: section.kind.rawValue,
                offset: end,
                byteCount: section.bytes.count,
                checksum: section.bytes.span.withRawBytes { CRC32C.checksum($0) }
            )
            table.append(entry)
            end = entry.paddedEnd
        }
        var file = ByteBuffer()
        file.append(contentsOf: DataFileHeader.magic)
        file.append(DataFileHeader.formatMajor)
        file.append(DataFileHeader.formatMinor)
        file.append(UInt32(DataFileHeader.byteCount))
        file.append(UInt64(end))
        file.append(kind.rawValue)
        file.append(environment.dataFileNumber)
        file.append(UInt32(sections.count))
        file.append(appAppleId)
        file.append(stamp.generation)
        file.append(stamp.builtAtMilliseconds)
        file.append(UInt64(DataFileHeader.byteCount))
        append(writerVersion: stamp.writerVersion, to: &file)
        file.append(UInt64(0))
        file.append(contentsOf: [UInt8](repeating: 0, count: 32))
        for entry in table {
            file.append(entry.kind)
            file.append(UInt32(0))
            file.append(UInt64(entry.offset))
            file.append(UInt64(entry.byteCount))
            file.append(entry.checksum)
            file.append(UInt32(0))
        }
        for section in sections {
            file.append(contentsOf: section.bytes)
            file.pad()
        }
        return sealed(file.bytes)
    }

    private static func append(writerVersion: String, to file: inout ByteBuffer) {
        let count = DataFileHeader.writerVersionRange.count
        let text = Array(writerVersion.utf8.filter { (0x20...0x7E).contains($0) }.prefix(count))
        file.append(contentsOf: text + [UInt8](repeating: 0, count: count - text.count))
    }

    /// Makes checksums and digest fit whatever the bytes are, as far as the section table makes sense: for tests and
    /// fuzzers, which would otherwise never come past them.
    package static func resealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= DataFileHeader.byteCount else { return bytes }
        var bytes = bytes
        let count = bytes.span.withRawBytes { $0.uint32(at: 28) } ?? 0
        for index in 0..<min(Int(count), DataFileLimits.sectionCount) {
            let entry = DataFileHeader.byteCount + index * DataFileSection.byteCountInTable
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

    /// Puts the digest in its place.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let digest = bytes.span.withRawBytes { DataFileHeader.digest(of: $0) }.bytes
        var bytes = bytes
        bytes.replaceSubrange(DataFileHeader.digestOffset..<DataFileHeader.digestOffset + 32, with: digest)
        return bytes
    }
}
