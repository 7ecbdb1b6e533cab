/// The result of a performance test, with the contents of Apple's PerformanceTestResultResponse.
package struct PerformanceTestResult: Sendable {
    package let configuration: PerformanceTestConfiguration
    package let target: String
    /// The number of requests that had not ended when the test ended, including those that were not sent.
    package let numPending: Int64
    /// How often each outcome occurred, success included.
    package let outcomes: [SendAttemptResult: Int64]
    /// The causes of the outcomes other than success, the most frequent first.
    package let causes: [(outcome: SendAttemptResult, reason: String, count: Int64)]
    /// How often each HTTP status was answered, in the order of the statuses.
    package let statuses: [(status: Int, count: Int64)]
    /// The response times of all requests that were answered, whatever the answer.
    package let responseTimes: ResponseTimes
    package let elapsedNanoseconds: UInt64

    /// The share of requests that succeeded, in percent, rounded down. A pending request did not succeed.
    package var successRate: Int64 {
        (outcomes[.success] ?? 0) * 100 / max(configuration.totalRequests, 1)
    }

    /// True when the success rate reaches its threshold.
    package var isPass: Bool { successRate >= configuration.successRateThreshold }

    /// The number of requests that were answered, whatever the answer.
    package var answerCount: Int64 { statuses.map(\.count).reduce(0, +) }

    /// The number of answers per second; nil when there was no answer, because connections that are refused at once say nothing
    /// about speed.
    package var answersPerSecond: Double? {
        guard answerCount > 0, elapsedNanoseconds > 0 else { return nil }
        return Double(answerCount) * 1e9 / Double(elapsedNanoseconds)
    }

    /// The outcomes other than success and how often each occurred, the most frequent first.
    package var failures: [(name: String, count: Int64)] {
        outcomes.filter { $0.key != .success && $0.value > 0 }
            .map { ($0.key.rawValue, $0.value) }
            .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0 < $1.0 }
    }

    /// The result as Apple's server gives it.
    package var response: PerformanceTestResultResponse {
        PerformanceTestResultResponse(
            result: isPass ? .pass : .fail, config: configuration, target: target, successRate: successRate,
            numPending: numPending, responseTimes: responseTimes.inMilliseconds,
            failures: failures.map { .init(name: $0.name, count: $0.count) })
    }
}

/// The response times of a performance test, in the five numbers that Apple reports.
package struct ResponseTimes: Sendable, Hashable {
    /// The arithmetic mean in microseconds.
    package let averageMicroseconds: Int64
    /// The median: half of the answers took at most this long, in microseconds.
    package let p50Microseconds: Int64
    /// 90 % of the answers took at most this long, in microseconds.
    package let p90Microseconds: Int64
    /// 95 % of the answers took at most this long, in microseconds.
    package let p95Microseconds: Int64
    /// 99 % of the answers took at most this long, in microseconds.
    package let p99Microseconds: Int64

    /// Computes the five numbers from `microseconds`, which has one number for each answer. All five are 0 when it is empty.
    package init(microseconds: [Int64]) {
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
