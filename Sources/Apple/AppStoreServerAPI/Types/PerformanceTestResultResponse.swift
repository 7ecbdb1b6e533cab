/// The answer of Get Performance Test Results.
///
/// Source: Apple, PerformanceTestResultResponse. Apple's page calls all members required, but Apple's libraries read an
/// answer without some of them. So this type requires `result` alone.
public struct PerformanceTestResultResponse: Sendable, Hashable {
    /// The state of a performance test.
    public enum Result: RawRepresentable, Sendable, Hashable {
        /// The test runs.
        case pending
        /// The endpoint passed the test.
        case pass
        /// The endpoint failed the test.
        case fail
        /// A state that this version does not know, as Apple spells it.
        case other(String)

        /// Reads a state as Apple spells it. Keeps a text that is none of the known states.
        public init(rawValue: String) {
            self =
                switch rawValue {
                case "PENDING": .pending
                case "PASS": .pass
                case "FAIL": .fail
                default: .other(rawValue)
                }
        }

        /// The state as Apple spells it.
        public var rawValue: String {
            switch self {
            case .pending: "PENDING"
            case .pass: "PASS"
            case .fail: "FAIL"
            case .other(let text): text
            }
        }
    }

    /// The response times of the test in milliseconds.
    public struct ResponseTimes: Sendable, Hashable {
        /// The arithmetic mean.
        public let average: Int64
        /// The time that 50 % of the answers did not exceed.
        public let p50: Int64
        /// The time that 90 % of the answers did not exceed.
        public let p90: Int64
        /// The time that 95 % of the answers did not exceed.
        public let p95: Int64
        /// The time that 99 % of the answers did not exceed.
        public let p99: Int64

        public init(average: Int64, p50: Int64, p90: Int64, p95: Int64, p99: Int64) {
            self.average = average
            self.p50 = p50
            self.p90 = p90
            self.p95 = p95
            self.p99 = p99
        }
    }

    /// A kind of failure and how often it occurred.
    public struct Failure: Sendable, Hashable {
        /// The kind of failure, as Apple spells it in sendAttemptResult: `TIMED_OUT`, `TLS_ISSUE`.
        public let name: String
        /// The number of requests that failed in this way.
        public let count: Int64

        public init(name: String, count: Int64) {
            self.name = name
            self.count = count
        }
    }

    /// The state of the test.
    public let result: Result
    public let config: PerformanceTestConfig?
    /// The URL of the endpoint that was tested.
    public let target: String?
    /// The share of requests that succeeded, in percent.
    public let successRate: Int64?
    /// The number of requests that have not ended.
    public let numPending: Int64?
    public let responseTimes: ResponseTimes?
    /// The failures in Apple's order.
    public let failures: [Failure]

    public init(
        result: Result, config: PerformanceTestConfig? = nil, target: String? = nil,
        successRate: Int64? = nil, numPending: Int64? = nil, responseTimes: ResponseTimes? = nil,
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
}
