internal import System

/// A section that is written from its beginning to its end, in blocks, with its checksum.
struct FactsSectionStream {
    let kind: FactsSection
    let offset: Int
    private(set) var byteCount = 0
    private var checksum = CRC32C()
    private var block: [UInt8] = []

    private static let blockByteCount = 1 << 18

    init(_ kind: FactsSection, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// What the section table says of it.
    var entry: DataFileSection {
        DataFileSection(kind: kind.rawValue, offset: offset, byteCount: byteCount, checksum: checksum.value)
    }

    /// Adds bytes; they may wait for more.
    mutating func append(
        _ bytes: Span<UInt8>,
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        guard bytes.count < Self.blockByteCount else {
            try flush(to: &output)
            return try put(bytes, to: &output)
        }
        for index in bytes.indices { block.append(bytes[index]) }
        if block.count >= Self.blockByteCount { try flush(to: &output) }
    }

    /// Adds whole numbers, least significant byte first.
    mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(
        _ words: [Word],
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        try LittleEndianWords.withBytes(of: words) { bytes throws(FactsBuildError) in
            try append(bytes, to: &output)
        }
    }

    /// Writes what waits.
    mutating func flush(to output: inout some PositionedOutput & ~Copyable) throws(FactsBuildError) {
        guard !block.isEmpty else { return }
        let waiting = block
        block.removeAll(keepingCapacity: true)
        try put(waiting.span, to: &output)
    }

    private mutating func put(
        _ bytes: Span<UInt8>,
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        bytes.withRawBytes { checksum.update($0) }
        do throws(SystemCallError) {
            try output.write(bytes, at: offset + byteCount)
        } catch {
            throw .output(error)
        }
        byteCount += bytes.count
    }
}
