internal import System

/// A section that is written from beginning to end in blocks, together with its checksum.
struct FactsSectionStream {
    let kind: FactsSection
    let offset: Int
    private(set) var byteCount = 0
    private var checksum = CRC32(.castagnoli)
    private var block: [UInt8] = []
    private var waitingCount = 0

    private static let blockByteCount = 1 << 16

    init(_ kind: FactsSection, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// The entry of the section table for this section.
    var entry: DataFileSection {
        DataFileSection(kind: kind.rawValue, offset: offset, byteCount: byteCount, checksum: checksum.value)
    }

    mutating func append(_ bytes: Span<UInt8>, to output: inout some PositionedOutput & ~Copyable)
        throws(FactsBuildError)
    {
        if waitingCount + bytes.count > Self.blockByteCount { try flush(to: &output) }
        guard bytes.count < Self.blockByteCount else { return try put(bytes, to: &output) }
        if block.isEmpty { block = [UInt8](repeating: 0, count: Self.blockByteCount) }
        let place = waitingCount
        var waiting = block.mutableSpan
        waiting.put(bytes, at: place)
        waitingCount += bytes.count
    }

    /// Appends whole numbers in little-endian order.
    mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(
        _ words: [Word], to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        try LittleEndianWords.withBytes(of: words) { bytes throws(FactsBuildError) in
            try append(bytes, to: &output)
        }
    }

    /// Writes the bytes that wait.
    mutating func flush(to output: inout some PositionedOutput & ~Copyable) throws(FactsBuildError) {
        guard waitingCount > 0 else { return }
        let waiting = block
        try put(waiting.span.extracting(first: waitingCount), to: &output)
        waitingCount = 0
    }

    private mutating func put(_ bytes: Span<UInt8>, to output: inout some PositionedOutput & ~Copyable)
        throws(FactsBuildError)
    {
        bytes.withRawBytes { checksum.update($0) }
        try SystemCallError.mapped(
            to: FactsBuildError.output, try output.write(bytes, at: offset + byteCount))
        byteCount += bytes.count
    }
}
