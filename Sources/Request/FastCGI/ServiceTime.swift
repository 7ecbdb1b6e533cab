/// How long one request takes while requests wait: the average over about the last second in which requests waited. The
/// time is that of the clock on the wall, so it includes what other processes take of the processor.
///
/// A change by half or more counts only when it lasts. When thousands of requests arrive at once, nginx takes most of
/// the processor until it has passed them on. For this short time every request takes longer, but the requests that
/// wait then are answered later.
struct ServiceTime: Sendable {
    /// The average, in nanoseconds. Before the first measurement a request is assumed to take 100 microseconds.
    private(set) var average: UInt64 = 100_000
    /// The measurements since the last block has ended.
    private var current = Block()
    /// The blocks that differ from the average by half or more, since the last one that does not.
    private var different = Block()
    private var isFirst = true

    private struct Block {
        var nanoseconds: UInt64 = 0
        var count: UInt64 = 0
        var average: UInt64 { nanoseconds / max(1, count) }
    }

    /// The length of a block. A block moves the average by an eighth of the difference.
    private static let blockNanoseconds: UInt64 = 50_000_000
    private static let weight: UInt64 = 8
    /// A change that has lasted for so long replaces the average.
    private static let lastingNanoseconds: UInt64 = 400_000_000
    /// The most time that counts of one measurement, and of one request in it. A machine that stood still for a second
    /// says nothing about the next second.
    private static let ceiling: UInt64 = 20_000_000
    /// A measurement of many requests may be longer: this many times what they took on average before.
    private static let patience: UInt64 = 3
    /// A turn answers fewer requests than this.
    private static let turnCount = 1000

    /// Adds a measurement: `count` requests, at least one, took this time.
    mutating func note(count: Int, nanoseconds: UInt64) {
        let ofMany = min(average * Self.patience, Self.ceiling) * UInt64(min(count, Self.turnCount))
        current.nanoseconds += min(nanoseconds, max(ofMany, Self.ceiling))
        current.count += UInt64(count)
        guard current.nanoseconds >= Self.blockNanoseconds else { return }
        let found = current.average
        let isDifferent = found > average + average / 2 || found + found / 2 < average
        if isDifferent, !isFirst {
            different.nanoseconds += current.nanoseconds
            different.count += current.count
            if different.nanoseconds >= Self.lastingNanoseconds {
                average = different.average
                different = Block()
            }
        } else {
            average = isFirst ? found : (average * (Self.weight - 1) + found) / Self.weight
            different = Block()
            isFirst = false
        }
        current = Block()
    }
}
