internal import Cryptography
internal import System

/// The places of a facts file's sections. They are known before the first byte is written.
struct FactsFrame {
    let shape: FactsRowShape
    let rowCount: Int
    let bucketsPerPartition: Int
    private let offsets: [FactsSection: Int]

    private static let rowsPerBucket = 8

    init(plans: [FactsColumnPlan], ranks: [UInt32], strings: FactsStringPlan, rowCount: Int) {
        shape = FactsRowShape(plans, ranks: ranks)
        self.rowCount = rowCount
        let perPartition = Self.rowsPerBucket * FactsPartition.count
        bucketsPerPartition = max((rowCount + perPartition - 1) / perPartition, 1)
        let bucketCount = bucketsPerPartition * FactsPartition.count
        let byteCounts: [FactsSection: Int] = [
            .strings: strings.byteCount,
            .stringIndex: (strings.count + 1) * 4,
            .factsSettings: FactsSettingsRecord.byteCount,
            .columns: plans.count * FactColumnRecord.byteCount,
            .columnLists: plans.reduce(0) { $0 + $1.listed.count } * 4,
            .directory: (bucketCount + 1) * 4,
            .keys: rowCount * 8,
            .rows: rowCount * shape.rowByteCount + FactsTables.rowsEndByteCount,
        ]
        var offsets: [FactsSection: Int] = [:]
        var end =
            DataFileHeader.byteCount + FactsSection.allCases.count * SectionRecord.byteCount
        for kind in FactsSection.allCases {
            offsets[kind] = end
            end = (end + (byteCounts[kind] ?? 0) + 7) & ~7
        }
        self.offsets = offsets
    }

    var bucketCount: Int { bucketsPerPartition * FactsPartition.count }
    var directoryOffset: Int { offsets[.directory] ?? 0 }
    var keysOffset: Int { offsets[.keys] ?? 0 }
    var rowsOffset: Int { offsets[.rows] ?? 0 }

    private func stream(_ kind: FactsSection) -> FactsSectionStream {
        FactsSectionStream(kind, at: offsets[kind] ?? 0)
    }

    func append(
        _ starts: [Int], to directory: inout FactsSectionStream,
        _ output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        try directory.append(starts.map { UInt32($0) }, to: &output)
    }

    func writeStrings(_ strings: FactsStringPlan, to output: inout some PositionedOutput & ~Copyable)
        throws(FactsBuildError) -> [DataFileSection]
    {
        var pool = stream(.strings)
        var index = stream(.stringIndex)
        try strings.write(&pool, &index, to: &output)
        return [pool.entry, index.entry]
    }

    func writeColumns(
        _ plans: [FactsColumnPlan], names: [UInt32], to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) -> [DataFileSection] {
        let settings = FactsSettingsRecord {
            $0.rowCount = UInt64(rowCount)
            $0.bucketCount = UInt64(bucketCount)
            $0.rowByteCount = UInt32(shape.rowByteCount)
            $0.directoryByteCount = 4
        }
        var settingsBytes: [UInt8] = []
        settingsBytes.append(copying: settings)
        var columnBytes: [UInt8] = []
        var listed = 0
        for (index, plan) in plans.enumerated() {
            let record = FactColumnRecord {
                $0.name = EntryReference(names[index])
                $0.kind = plan.kind.rawValue
                $0.bitCount = UInt8(plan.bitCount)
                $0.firstBit = UInt32(shape.columns[index].firstBit)
                $0.base = plan.base
                $0.unit = plan.unit
                $0.firstListed = plan.listed.isEmpty ? .none : EntryReference(UInt32(listed))
                $0.listedCount = UInt32(plan.listed.count)
            }
            columnBytes.append(copying: record)
            listed += plan.listed.count
        }
        var settingsStream = stream(.factsSettings)
        var columnStream = stream(.columns)
        var listStream = stream(.columnLists)
        try settingsStream.append(settingsBytes.span, to: &output)
        try columnStream.append(columnBytes.span, to: &output)
        for plan in plans { try listStream.append(plan.listed, to: &output) }
        try settingsStream.flush(to: &output)
        try columnStream.flush(to: &output)
        try listStream.flush(to: &output)
        return [settingsStream.entry, columnStream.entry, listStream.entry]
    }

    func writeHeader(
        _ making: FactsFileIdentity, _ sections: [DataFileSection],
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        let beginning = DataFileHeader.beginning(
            appAppleId: making.appAppleId, environment: making.environment, stamp: making.stamp,
            sections: sections)
        let contentEnd = sections.last.map { $0.offset + $0.byteCount } ?? 0
        let fileEnd = sections.last?.paddedEnd ?? 0
        let padding = [UInt8](repeating: 0, count: fileEnd - contentEnd)
        let failure = { (error: SystemCallError) in FactsBuildError.output(error) }
        try SystemCallError.mapped(to: failure, try output.write(beginning.span, at: 0))
        try SystemCallError.mapped(to: failure, try output.write(padding.span, at: contentEnd))
        let digest = try SystemCallError.mapped(to: failure, try Self.digest(of: output))
        let place = DataFileHeader.digestRange.lowerBound
        try SystemCallError.mapped(to: failure, try output.write(digest.bytes.span, at: place))
    }

    private static func digest(
        of output: borrowing some PositionedOutput & ~Copyable
    ) throws(SystemCallError) -> SHA256Digest {
        var hasher = SHA256Hasher()
        var head = [UInt8](repeating: 0, count: DataFileHeader.digestRange.lowerBound)
        _ = try output.read(into: &head, at: 0)
        hasher.update(head.span)
        var offset = DataFileHeader.digestRange.upperBound
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = try output.read(into: &block, at: offset)
            if count == 0 { break }
            hasher.update(block.span.extracting(first: count))
            offset += count
        }
        return hasher.finalize()
    }
}

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

    mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(
        _ words: [Word], to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        try LittleEndianWords.withBytes(of: words) { bytes throws(FactsBuildError) in
            try append(bytes, to: &output)
        }
    }

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

/// The distinct strings of a column, numbered in the order in which they came. An open hash table over one pool of bytes.
struct FactsStringColumn {
    static let limit = Int(UInt32.max)
    private(set) var pool: [UInt8] = []
    private(set) var starts: [UInt32] = [0]
    private(set) var isUsed: [Bool] = []
    /// The hash table: the number of a string plus 1, or 0 for a free slot. At most two thirds of the slots are taken.
    private var slots: [UInt32] = [UInt32](repeating: 0, count: 64)

    var count: Int { starts.count - 1 }

    func range(of number: Int) -> Range<Int> { Int(starts[number])..<Int(starts[number + 1]) }

    /// Marks a string as used by a committed row. Most strings are marked already, and a read costs less than a write.
    @inline(__always)
    mutating func use(_ number: Int) {
        if !isUsed[number] { isUsed[number] = true }
    }

    func find(_ text: Span<UInt8>) -> UInt32? {
        let number = slots[slot(of: text)]
        return number == 0 ? nil : number - 1
    }

    /// Returns the slot of a string, or the free slot in which it would be put.
    @inline(__always)
    private func slot(of text: Span<UInt8>) -> Int {
        var slot = Int(truncatingIfNeeded: text.wordHash) & (slots.count - 1)
        while slots[slot] != 0, !text.isEqual(to: pool.span.extracting(range(of: Int(slots[slot]) - 1))) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    mutating func intern(_ text: Span<UInt8>) -> UInt32? {
        let slot = slot(of: text)
        if slots[slot] != 0 { return slots[slot] - 1 }
        guard pool.count + text.count <= Self.limit, count < Int(UInt32.max) - 1 else { return nil }
        for index in text.indices { pool.append(text[index]) }
        starts.append(UInt32(pool.count))
        isUsed.append(false)
        slots[slot] = UInt32(count)
        if count * 3 > slots.count * 2 { grow() }
        return UInt32(count - 1)
    }

    private mutating func grow() {
        var wider = [UInt32](repeating: 0, count: slots.count * 2)
        for number in 0..<count {
            var slot = Int(truncatingIfNeeded: pool.span.extracting(range(of: number)).wordHash)
            slot &= wider.count - 1
            while wider[slot] != 0 { slot = (slot + 1) & (wider.count - 1) }
            wider[slot] = UInt32(number + 1)
        }
        slots = wider
    }
}

struct FactsStringPlan {
    /// A string of a column. ``prefix`` is its first eight bytes as a big-endian number, which sorts as these bytes do.
    private struct Entry {
        let prefix: UInt64
        let column: UInt32
        let number: UInt32
    }

    private let sources: [FactsStringColumn]
    private let entries: [Entry]
    /// By column and by the string's number there; `UInt32.max` for an unused string. The names of the columns come
    /// last.
    let numbers: [[UInt32]]
    let count: Int
    let byteCount: Int

    init(columns: [FactsStringColumn], names: [String]) throws(FactsBuildError) {
        var nameColumn = FactsStringColumn()
        for name in names {
            guard let number = nameColumn.intern(name.utf8Span.span) else {
                throw .tooMuchText(limitBytes: Int(UInt32.max))
            }
            nameColumn.use(Int(number))
        }
        let sources = columns + [nameColumn]
        var entries: [Entry] = []
        for (column, source) in sources.enumerated() {
            for number in 0..<source.count where source.isUsed[number] {
                entries.append(
                    Entry(prefix: Self.prefix(source, number), column: UInt32(column), number: UInt32(number))
                )
            }
        }
        entries.sort { Self.precedes($0, $1, sources) }
        var numbers = sources.map { [UInt32](repeating: .max, count: $0.count) }
        var count = 0
        var byteCount = 0
        for (index, entry) in entries.enumerated() {
            if index == 0 || Self.precedes(entries[index - 1], entry, sources) {
                count += 1
                byteCount += sources[Int(entry.column)].range(of: Int(entry.number)).count
            }
            numbers[Int(entry.column)][Int(entry.number)] = UInt32(count - 1)
        }
        guard byteCount <= Int(UInt32.max) else { throw .tooMuchText(limitBytes: Int(UInt32.max)) }
        self.sources = sources
        self.entries = entries
        self.numbers = numbers
        self.count = count
        self.byteCount = byteCount
    }

    func write(
        _ pool: inout FactsSectionStream, _ index: inout FactsSectionStream,
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        var next: UInt32 = 0
        var end: UInt32 = 0
        var starts: [UInt32] = [0]
        for entry in entries {
            let column = Int(entry.column)
            // Equal strings have the same number; only the first of them is written.
            guard numbers[column][Int(entry.number)] == next else { continue }
            let range = sources[column].range(of: Int(entry.number))
            let source = sources[column].pool
            try pool.append(source.span.extracting(range), to: &output)
            next += 1
            end += UInt32(range.count)
            starts.append(end)
            if starts.count >= 1 << 16 {
                try index.append(starts, to: &output)
                starts.removeAll(keepingCapacity: true)
            }
        }
        try index.append(starts, to: &output)
        try pool.flush(to: &output)
        try index.flush(to: &output)
    }

    private static func prefix(_ source: FactsStringColumn, _ number: Int) -> UInt64 {
        let range = source.range(of: number)
        var value: UInt64 = 0
        for offset in 0..<8 {
            let byte = offset < range.count ? source.pool[range.lowerBound + offset] : 0
            value = value << 8 | UInt64(byte)
        }
        return value
    }

    private static func precedes(_ left: Entry, _ right: Entry, _ sources: [FactsStringColumn]) -> Bool {
        guard left.prefix == right.prefix else { return left.prefix < right.prefix }
        let (leftColumn, rightColumn) = (Int(left.column), Int(right.column))
        let leftRange = sources[leftColumn].range(of: Int(left.number))
        let rightRange = sources[rightColumn].range(of: Int(right.number))
        for offset in 0..<min(leftRange.count, rightRange.count) {
            let a = sources[leftColumn].pool[leftRange.lowerBound + offset]
            let b = sources[rightColumn].pool[rightRange.lowerBound + offset]
            if a != b { return a < b }
        }
        return leftRange.count < rightRange.count
    }
}
