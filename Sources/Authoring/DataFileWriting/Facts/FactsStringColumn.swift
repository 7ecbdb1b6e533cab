internal import DataFiles
internal import System

/// The different strings of a column, numbered in the order in which they came: an open hash table over one pool.
struct FactsStringColumn {
    /// The most bytes of the pool.
    let limit: Int
    private(set) var pool: [UInt8] = []
    /// Where each string begins, and where the last one ends.
    private(set) var starts: [UInt32] = [0]
    /// Which of them stand in a row that was taken.
    private(set) var isUsed: [Bool] = []
    /// Numbers plus 1; 0 is free. At most two thirds are taken.
    private var slots: [UInt32] = [UInt32](repeating: 0, count: 64)

    init(limit: Int = FactsBuilder.textByteCount) {
        self.limit = limit
    }

    var count: Int { starts.count - 1 }

    /// The range of a string in the pool.
    func range(of number: Int) -> Range<Int> { Int(starts[number])..<Int(starts[number + 1]) }

    /// Notes that a string stands in a row. Most do already, and reading costs less.
    @inline(__always)
    mutating func use(_ number: Int) {
        if !isUsed[number] { isUsed[number] = true }
    }

    /// The number of a string that is known.
    func find(_ text: Span<UInt8>) -> UInt32? {
        let number = slots[slot(of: text)]
        return number == 0 ? nil : number - 1
    }

    /// Where the number of a string stands, or where it would.
    @inline(__always)
    private func slot(of text: Span<UInt8>) -> Int {
        var slot = Int(truncatingIfNeeded: text.wordHash) & (slots.count - 1)
        while slots[slot] != 0, !text.isEqual(to: pool.span.extracting(range(of: Int(slots[slot]) - 1))) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    /// The number of a string, which is new or known; nil when the pool is full.
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
