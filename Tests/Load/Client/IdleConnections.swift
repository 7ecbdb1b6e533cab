/// The numbers of the connections that wait for a request: a set of bits. 4,000 connections need 63 words.
struct IdleConnections {
    private var words: [UInt64]
    /// How many connections are idle.
    private(set) var count = 0

    /// An empty set for numbers below `limit`.
    init(limit: Int) {
        words = [UInt64](repeating: 0, count: (limit + 63) / 64)
    }

    var isEmpty: Bool { count == 0 }

    mutating func insert(_ number: Int) {
        let bit = UInt64(1) << UInt64(number % 64)
        guard words[number / 64] & bit == 0 else { return }
        words[number / 64] |= bit
        count += 1
    }

    /// Removes and returns the lowest number, so that a low rate uses few connections, which stay warm. Returns nil when
    /// the set is empty.
    mutating func removeFirst() -> Int? {
        guard count > 0 else { return nil }
        for index in words.indices where words[index] != 0 {
            let bit = words[index].trailingZeroBitCount
            words[index] &= words[index] &- 1
            count -= 1
            return index * 64 + bit
        }
        return nil
    }
}
