internal import Cryptography
internal import System

/// The places of a facts file's sections. They are known before the first byte is written.
struct FactsFrame {
    let shape: FactsRowShape
    let rowCount: Int
    let bucketsPerPartition: Int
    private let offsets: [FactsSection: Int]

    /// The average number of rows in a bucket. The keys of this many rows fill one cache line.
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

    /// Appends entries to the directory, 4 bytes each.
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

    /// Writes the header, the section table and the zero bytes that end the file, and last the digest of the whole file.
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

    /// Returns the digest of the written bytes, as ``DataFileHeader/digest(of:)`` defines it.
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
