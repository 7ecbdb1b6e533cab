/// A histogram of the durations of requests.
public struct LatencyHistogram: Sendable, Hashable {
    /// The inclusive upper edges of the buckets, in microseconds. One more bucket is above the last edge. The service
    /// answers in a fraction of a millisecond, and Apple waits 700 ms.
    public static let edgesMicroseconds: [UInt64] = [
        1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 500_000, 700_000,
    ]

    /// The number of requests in each bucket. The last bucket is the one above all edges.
    public let counts: [UInt64]
    /// The sum of all durations in microseconds.
    public let sumMicroseconds: UInt64

    /// The number of requests.
    public var count: UInt64 { counts.reduce(0, &+) }

    /// For each edge, the number of requests that took at most that long; the last value counts all requests.
    /// Prometheus expects cumulative counts.
    public var cumulativeCounts: [UInt64] {
        var sum: UInt64 = 0
        return counts.map { count in
            sum &+= count
            return sum
        }
    }

    static func bucket(ofMicroseconds duration: UInt64) -> Int {
        edgesMicroseconds.firstIndex { duration <= $0 } ?? edgesMicroseconds.count
    }
}
