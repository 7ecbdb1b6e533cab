internal import JSON

/// How long answers took: Apple's five numbers.
public struct ResponseTimes: Sendable, Hashable {
    /// The arithmetic mean in microseconds.
    public let averageMicroseconds: Int64
    /// Half of all were at most this long, in microseconds.
    public let p50Microseconds: Int64
    /// 90 % of all were at most this long.
    public let p90Microseconds: Int64
    /// 95 % of all were at most this long.
    public let p95Microseconds: Int64
    /// 99 % of all were at most this long.
    public let p99Microseconds: Int64

    /// Orders `microseconds`, one number a request; all five are 0 when there is none.
    public init(microseconds: [Int64]) {
        let sorted = microseconds.sorted()
        averageMicroseconds = sorted.isEmpty ? 0 : sorted.reduce(0, +) / Int64(sorted.count)
        p50Microseconds = Self.percentile(50, of: sorted)
        p90Microseconds = Self.percentile(90, of: sorted)
        p95Microseconds = Self.percentile(95, of: sorted)
        p99Microseconds = Self.percentile(99, of: sorted)
    }

    /// The nearest-rank percentile: the smallest element that at least `percent` of all do not exceed.
    static func percentile(_ percent: Int, of sorted: [Int64]) -> Int64 {
        guard !sorted.isEmpty else { return 0 }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(rank, 1) - 1]
    }

    /// Apple's object: whole milliseconds, rounded up, so that a threshold is never met by rounding.
    var json: JSONNode {
        .object([
            ("average", .integer(Self.milliseconds(averageMicroseconds))),
            ("p50", .integer(Self.milliseconds(p50Microseconds))),
            ("p90", .integer(Self.milliseconds(p90Microseconds))),
            ("p95", .integer(Self.milliseconds(p95Microseconds))),
            ("p99", .integer(Self.milliseconds(p99Microseconds))),
        ])
    }

    private static func milliseconds(_ microseconds: Int64) -> Int64 {
        microseconds / 1000 + (microseconds % 1000 > 0 ? 1 : 0)
    }
}
