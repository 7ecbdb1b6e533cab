internal import System

/// The distinct strings of a column, numbered in the order in which they came. An open hash table over one pool of bytes.
struct FactsStringColumn {
    /// The most bytes that the pool may have.
    static let limit = Int(UInt32.max)
    private(set) var pool: [UInt8] = []
    /// The start of each string in the pool, and the end of the last one.
    private(set) var starts: [UInt32] = [0]
    /// For each string, true when the string occurs in a committed row.
    private(set) var isUsed: [Bool] = []
    /// The hash table: the number of a string plus 1, or 0 for a free slot. At most two thirds of the slots are taken.
    private var slots: [UInt32] = [UInt32](repeating: 0, count: 64)

    var count: Int { starts.count - 1 }

    /// Returns the range of a string in the pool.
    func range(of number: Int) -> Range<Int> { Int(starts[number])..<Int(starts[number + 1]) }

    /// Marks a string as used by a committed row. Most strings are marked already, and a read costs less than a write.
    @inline(__always)
    mutating func use(_ number: Int) {
        if !isUsed[number] { isUsed[number] = true }
    }

    /// Returns the number of a string, or nil when the column does not have it.
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

    /// Returns the number of a string, and adds the string if it is new. Returns nil when the pool is full.
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

/// The strings of a facts file: the strings of all columns and the names of the columns, each once, in the order of
/// their bytes.
struct FactsStringPlan {
    /// A string of a column. ``prefix`` is its first eight bytes as a big-endian number, which sorts as these bytes do.
    private struct Entry {
        let prefix: UInt64
        let column: UInt32
        let number: UInt32
    }

    private let sources: [FactsStringColumn]
    private let entries: [Entry]
    /// The numbers of the strings in the file, by column and by the string's number in that column; `UInt32.max` for an
    /// unused string. The names of the columns come last, as a column of their own.
    let numbers: [[UInt32]]
    let count: Int
    let byteCount: Int

    /// Plans the strings of these columns.
    ///
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

    /// Writes the bytes of the strings and the index of their starts.
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
