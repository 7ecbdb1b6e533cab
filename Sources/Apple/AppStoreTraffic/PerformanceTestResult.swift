internal import AppStoreServerAPI
internal import JSON

/// The result of a performance test, with the contents of Apple's PerformanceTestResultResponse.
public struct PerformanceTestResult: Sendable {
    /// The numbers with which the test ran.
    public let configuration: PerformanceTestConfiguration
    /// The URL of the endpoint.
    public let target: String
    /// The number of requests that had not ended when the test ended, including those that were not sent.
    public let numPending: Int64
    /// How often each outcome occurred, success included.
    public let outcomes: [SendAttemptResult: Int64]
    /// The causes of the outcomes other than success, the most frequent first.
    public let causes: [PerformanceTestCause]
    /// How often each HTTP status was answered, in the order of the statuses.
    public let statuses: [(status: Int, count: Int64)]
    /// The response times of all requests that were answered, whatever the answer.
    public let responseTimes: ResponseTimes
    /// The time from the start to the end of the test.
    public let elapsedNanoseconds: UInt64

    /// The share of requests that succeeded, in percent, rounded down. A pending request did not succeed.
    public var successRate: Int64 {
        (outcomes[.success] ?? 0) * 100 / max(configuration.totalRequests, 1)
    }

    /// True when the success rate reaches its threshold.
    public var isPass: Bool { successRate >= configuration.successRateThreshold }

    /// The number of requests that were answered, whatever the answer.
    public var answerCount: Int64 { statuses.map(\.count).reduce(0, +) }

    /// The number of answers per second; nil when there was no answer, because connections that are refused at once say nothing
    /// about speed.
    public var answersPerSecond: Double? {
        guard answerCount > 0, elapsedNanoseconds > 0 else { return nil }
        return Double(answerCount) * 1e9 / Double(elapsedNanoseconds)
    }

    /// The outcomes other than success and how often each occurred, the most frequent first.
    public var failures: [(name: String, count: Int64)] {
        outcomes.filter { $0.key != .success && $0.value > 0 }
            .map { ($0.key.rawValue, $0.value) }
            .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0 < $1.0 }
    }

    /// Returns the result as JSON text, with the members of Apple's PerformanceTestResultResponse.
    public func json(pretty: Bool) -> [UInt8] {
        let response = PerformanceTestResultResponse(
            result: isPass ? .pass : .fail,
            config: configuration.config,
            target: target,
            successRate: successRate,
            numPending: numPending,
            responseTimes: responseTimes.inMilliseconds,
            failures: failures.map { .init(name: $0.name, count: $0.count) }
        )
        return response.json.serialized(pretty: pretty)
    }
}
