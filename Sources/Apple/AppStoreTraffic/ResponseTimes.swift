internal import AppStoreServerAPI

/// The response times of a performance test, in the five numbers that Apple reports.
public struct ResponseTimes: Sendable, Hashable {
    /// The arithmetic mean in microseconds.
    public let averageMicroseconds: Int64
    /// The median: half of the answers took at most this long, in microseconds.
    public let p50Microseconds: Int64
    /// 90 % of the answers took at most this long, in microseconds.
    public let p90Microseconds: Int64
    /// 95 % of the answers took at most this long, in microseconds.
    public let p95Microseconds: Int64
    /// 99 % of the answers took at most this long, in microseconds.
    public let p99Microseconds: Int64

    /// Computes the five numbers from `microseconds`, which has one number for each answer. All five are 0 when it is empty.
    public init(microseconds: [Int64]) {
        let sorted = microseconds.sorted()
        averageMicroseconds = sorted.isEmpty ? 0 : sorted.reduce(0, +) / Int64(sorted.count)
        p50Microseconds = Self.percentile(50, of: sorted)
        p90Microseconds = Self.percentile(90, of: sorted)
        p95Microseconds = Self.percentile(95, of: sorted)
        p99Microseconds = Self.percentile(99, of: sorted)
    }

    /// Returns the nearest-rank percentile of a sorted array: the smallest element that at least `percent` percent of the
    /// elements do not exceed.
    static func percentile(_ percent: Int, of sorted: [Int64]) -> Int64 {
        guard !sorted.isEmpty else { return 0 }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(rank, 1) - 1]
    }

    /// The times in whole milliseconds, as Apple reports them. They are rounded up, so that a time above a threshold never
    /// seems to meet it.
    var inMilliseconds: PerformanceTestResultResponse.ResponseTimes {
        PerformanceTestResultResponse.ResponseTimes(
            average: Self.milliseconds(averageMicroseconds), p50: Self.milliseconds(p50Microseconds),
            p90: Self.milliseconds(p90Microseconds), p95: Self.milliseconds(p95Microseconds),
            p99: Self.milliseconds(p99Microseconds))
    }

    private static func milliseconds(_ microseconds: Int64) -> Int64 {
        microseconds / 1000 + (microseconds % 1000 > 0 ? 1 : 0)
    }
}
