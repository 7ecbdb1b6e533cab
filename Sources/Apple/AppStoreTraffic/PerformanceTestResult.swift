internal import JSON

/// What a performance test found: Apple's PerformanceTestResultResponse.
public struct PerformanceTestResult: Sendable {
    /// What was done.
    public let configuration: PerformanceTestConfiguration
    /// The URL.
    public let target: String
    /// Requests that were not answered when the test ended.
    public let numPending: Int64
    /// How often each outcome occurred, success included.
    public let outcomes: [SendAttemptResult: Int64]
    /// What stood behind the outcomes that were no success, most frequent first.
    public let causes: [PerformanceTestCause]
    /// How often each HTTP status was answered, by the status.
    public let statuses: [(status: Int, count: Int64)]
    /// Over all requests that were answered, whatever the answer.
    public let responseTimes: ResponseTimes
    /// From the first request to the last answer.
    public let elapsedNanoseconds: UInt64

    /// How many of a hundred requests succeeded, rounded down; pending ones did not.
    public var successRate: Int64 {
        (outcomes[.success] ?? 0) * 100 / max(configuration.totalRequests, 1)
    }

    /// Whether the rate reaches the threshold.
    public var isPass: Bool { successRate >= configuration.successRateThreshold }

    /// Requests that were answered, whatever the answer.
    public var answerCount: Int64 { statuses.map(\.count).reduce(0, +) }

    /// Answers a second; nil when there was none, for what is refused at once says nothing about speed.
    public var answersPerSecond: Double? {
        guard answerCount > 0, elapsedNanoseconds > 0 else { return nil }
        return Double(answerCount) * 1e9 / Double(elapsedNanoseconds)
    }

    /// Outcomes other than success, most frequent first.
    public var failures: [(name: String, count: Int64)] {
        outcomes.filter { $0.key != .success && $0.value > 0 }
            .map { ($0.key.rawValue, $0.value) }
            .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0 < $1.0 }
    }

    /// Apple's object as a JSON text.
    public func json(pretty: Bool) -> [UInt8] {
        JSONNode.object([
            ("config", configuration.json),
            ("target", .string(target)),
            ("result", .string(isPass ? "PASS" : "FAIL")),
            ("successRate", .integer(successRate)),
            ("numPending", .integer(numPending)),
            ("responseTimes", responseTimes.json),
            ("failures", .object(failures.map { ($0.name, .integer($0.count)) })),
        ]).serialized(pretty: pretty)
    }
}
