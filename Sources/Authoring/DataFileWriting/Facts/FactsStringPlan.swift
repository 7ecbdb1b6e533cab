internal import DataFiles
internal import System

/// The strings of a file to be written: those of all columns and the columns' names, each once, in the order of
/// their bytes.
struct FactsStringPlan {
    /// One string where it waits; ``prefix`` is its first eight bytes as a number that sorts as they do.
    private struct Entry {
        let prefix: UInt64
        let column: UInt32
        let number: UInt32
    }

    private let sources: [FactsStringColumn]
    private let entries: [Entry]
    /// The numbers that the strings get, by column and by their number there; `UInt32.max` for those not used. The
    /// names of the columns come last, as a column of their own.
    let numbers: [[UInt32]]
    /// How many strings the file has.
    let count: Int
    /// Their bytes.
    let byteCount: Int

    /// - Throws: `facts.too-much-text`.
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
                    Entry(
                        prefix: Self.prefix(source, number),
                        column: UInt32(column),
                        number: UInt32(number)
                    )
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

    /// Writes the pool and the index.
    func write(
        _ pool: inout FactsSectionStream,
        _ index: inout FactsSectionStream,
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsBuildError) {
        var next: UInt32 = 0
        var end: UInt32 = 0
        var starts: [UInt32] = [0]
        for entry in entries {
            let column = Int(entry.column)
            // The first of equal strings speaks for all of them.
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
