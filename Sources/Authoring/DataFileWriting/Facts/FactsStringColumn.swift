internal import DataFiles
internal import System

/// The distinct strings of a column, numbered in the order in which they came. An open hash table over one pool of bytes.
struct FactsStringColumn {
    /// The most bytes that the pool may have.
    let limit: Int
    private(set) var pool: [UInt8] = []
    /// The start of each string in the pool, and the end of the last one.
    private(set) var starts: [UInt32] = [0]
    /// For each string, true when the string occurs in a committed row.
    private(set) var isUsed: [Bool] = []
    /// The hash table: the number of a string plus 1, or 0 for a free slot. At most two thirds of the slots are taken.
    private var slots: [UInt32] = [UInt32](repeating: 0, count: 64)

    init(limit: Int = FactsBuilder.textByteCount) {
        self.limit = limit
    }

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
        guard pool.count + text.count <= limit, count < Int(UInt32.max) - 1 else { return nil }
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
