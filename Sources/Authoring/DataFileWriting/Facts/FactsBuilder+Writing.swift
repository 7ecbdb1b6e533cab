internal import Cryptography
internal import DataFiles
public import System

extension FactsBuilder {
    /// Writes the file, and frees the memory of the rows while it does so. The same rows and stamp always give the same
    /// bytes, in whatever order the rows were added.
    ///
    /// - Parameters:
    ///   - making: the contents of the header.
    ///   - output: receives the bytes; existing bytes are overwritten.
    ///   - progress: called with the number of rows written so far.
    /// - Throws: `facts.repeated-key`, `facts.too-much-text`, or the code of a system call. The output is then unusable.
    public consuming func write(
        _ making: FactsFileIdentity,
        to output: inout some PositionedOutput & ~Copyable,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsBuildError) {
        let strings = try FactsStringPlan(columns: self.strings, names: columns.map(\.name))
        var ranks: [UInt32] = []
        let plans = columns.indices.map { index in
            columns[index].kind == .string
                ? FactsColumnPlan(strings: strings.numbers[index], rowCount: rowCount, ranks: &ranks)
                : FactsColumnPlan(kind: columns[index].kind, numbers[index])
        }
        self.strings = []
        let frame = FactsFrame(plans: plans, ranks: ranks, strings: strings, rowCount: rowCount)
        var table: [DataFileSection] = []
        table += try frame.writeStrings(strings, to: &output)
        table += try frame.writeColumns(plans, names: strings.numbers.last ?? [], to: &output)
        table += try writeRows(frame, to: &output, progress: progress)
        try frame.writeHeader(making, table, to: &output)
    }

    /// Writes the directory, the keys and the rows, one partition after the other. The number of buckets is a multiple
    /// of the number of partitions, so no bucket has rows of two partitions.
    private mutating func writeRows(
        _ frame: FactsFrame, to output: inout some PositionedOutput & ~Copyable, progress: (Int) -> Void
    ) throws(FactsBuildError) -> [DataFileSection] {
        var directory = FactsSectionStream(.directory, at: frame.directoryOffset)
        var keys = FactsSectionStream(.keys, at: frame.keysOffset)
        var rows = FactsSectionStream(.rows, at: frame.rowsOffset)
        var written = 0
        var repeated: [FactsBuildError.RepeatedKey] = []
        for index in partitions.indices {
            partitions[index].close(forms)
            let table = FactsPartitionTable(partitions[index], forms, frame.shape)
            partitions[index].removeAll()
            let first = index * frame.bucketsPerPartition
            let order = table.order(first..<first + frame.bucketsPerPartition, among: frame.bucketCount)
            repeated += table.repeatedKeys(order)
            // The file will not be used, so nothing more is written. The loop goes on to find the other repeated keys.
            guard repeated.isEmpty else { continue }
            try frame.append(order.starts.map { $0 + written }, to: &directory, &output)
            try keys.append(table.orderedKeys(order), to: &output)
            try rows.append(table.orderedRows(order).span, to: &output)
            written += table.keys.count
            progress(written)
        }
        guard repeated.isEmpty else {
            repeated.sort { ($0.otherLine, $0.line) < ($1.otherLine, $1.line) }
            throw .repeatedKeys(Array(repeated.prefix(Self.repeatedKeyCount)))
        }
        try frame.append([written], to: &directory, &output)
        let end = [UInt8](repeating: 0, count: FactsTables.rowsEndByteCount)
        try rows.append(end.span, to: &output)
        try directory.flush(to: &output)
        try keys.flush(to: &output)
        try rows.flush(to: &output)
        return [directory.entry, keys.entry, rows.entry]
    }

    /// The most repeated keys that an error lists.
    private static var repeatedKeyCount: Int { 100 }
}
