/// A histogram of durations.
public struct LatencyHistogram: Sendable, Hashable {
    /// The inclusive upper edges of the buckets, in microseconds. One more bucket is above the last edge. The service
    /// answers in a fraction of a millisecond, and Apple waits 700 ms.
    public static let edgesMicroseconds: [UInt64] = [
        100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 500_000,
        700_000,
    ]

    /// The number of durations in each bucket. The last bucket is the one above all edges.
    public let counts: [UInt64]
    /// The sum of all durations in nanoseconds.
    public let sumNanoseconds: UInt64

    /// The number of durations.
    public var count: UInt64 { counts.reduce(0, &+) }

    /// For each edge, the number of durations that were at most that long; the last value counts all durations.
    /// Prometheus expects cumulative counts.
    public var cumulativeCounts: [UInt64] {
        var sum: UInt64 = 0
        return counts.map { count in
            sum &+= count
            return sum
        }
    }

    static func bucket(ofNanoseconds duration: UInt64) -> Int {
        edges.firstIndex { duration <= $0 } ?? edges.count
    }

    private static let edges = edgesMicroseconds.map { $0 * 1000 }
}
