package import JSON

/// The answer of Get Performance Test Results.
///
/// Source: Apple, PerformanceTestResultResponse.
package struct PerformanceTestResultResponse: Sendable, Hashable, Codable {
    /// The state of a performance test, as Apple spells it.
    package enum Result: String, Sendable, Hashable, Codable {
        case pending = "PENDING"
        case pass = "PASS"
        case fail = "FAIL"
    }

    /// The response times of the test in milliseconds.
    package struct ResponseTimes: Sendable, Hashable, Codable {
        package let average: Int64
        package let p50: Int64
        package let p90: Int64
        package let p95: Int64
        package let p99: Int64

        package init(average: Int64, p50: Int64, p90: Int64, p95: Int64, p99: Int64) {
            self.average = average
            self.p50 = p50
            self.p90 = p90
            self.p95 = p95
            self.p99 = p99
        }

        package var json: JSONNode {
            .object([
                ("average", .integer(average)), ("p50", .integer(p50)), ("p90", .integer(p90)),
                ("p95", .integer(p95)), ("p99", .integer(p99)),
            ])
        }
    }

    /// A kind of failure and how often it occurred.
    package struct Failure: Sendable, Hashable, Codable {
        /// The kind of failure, as Apple spells it in sendAttemptResult: `TIMED_OUT`, `TLS_ISSUE`.
        package let name: String
        /// The number of requests that failed in this way.
        package let count: Int64

        package init(name: String, count: Int64) {
            self.name = name
            self.count = count
        }
    }

    package let result: Result
    package let config: PerformanceTestConfiguration
    /// The URL of the endpoint that was tested.
    package let target: String
    /// The share of requests that succeeded, in percent.
    package let successRate: Int64
    /// The number of requests that have not ended.
    package let numPending: Int64
    package let responseTimes: ResponseTimes
    /// The failures in Apple's order.
    package let failures: [Failure]

    package init(
        result: Result, config: PerformanceTestConfiguration, target: String, successRate: Int64 = 0,
        numPending: Int64 = 0,
        responseTimes: ResponseTimes = ResponseTimes(average: 0, p50: 0, p90: 0, p95: 0, p99: 0),
        failures: [Failure] = []
    ) {
        self.result = result
        self.config = config
        self.target = target
        self.successRate = successRate
        self.numPending = numPending
        self.responseTimes = responseTimes
        self.failures = failures
    }

    package var json: JSONNode {
        .object([
            ("config", config.json), ("target", .string(target)), ("result", .string(result.rawValue)),
            ("successRate", .integer(successRate)), ("numPending", .integer(numPending)),
            ("responseTimes", responseTimes.json),
            ("failures", .object(failures.map { ($0.name, .integer($0.count)) })),
        ])
    }
}
