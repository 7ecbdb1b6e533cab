/// The numbers with which Apple's server runs a performance test.
///
/// Source: Apple, PerformanceTestConfig. Apple requires all five members.
public struct PerformanceTestConfig: Sendable, Hashable {
    /// The number of requests under way at once.
    public let maxConcurrentRequests: Int64
    public let totalRequests: Int64
    /// The duration of the test in milliseconds.
    public let totalDuration: Int64
    /// The longest time in milliseconds that one answer may take.
    public let responseTimeThreshold: Int64
    /// The share of requests that must succeed, in percent.
    public let successRateThreshold: Int64

    public init(
        maxConcurrentRequests: Int64, totalRequests: Int64, totalDuration: Int64,
        responseTimeThreshold: Int64, successRateThreshold: Int64
    ) {
        self.maxConcurrentRequests = maxConcurrentRequests
        self.totalRequests = totalRequests
        self.totalDuration = totalDuration
        self.responseTimeThreshold = responseTimeThreshold
        self.successRateThreshold = successRateThreshold
    }
}

/// The answer of Initiate Performance Test.
///
/// Source: Apple, PerformanceTestResponse.
public struct PerformanceTestResponse: Sendable, Hashable {
    public let config: PerformanceTestConfig
    /// The identifier with which the result is asked for, exactly as Apple spells it.
    public let requestId: String

    public init(config: PerformanceTestConfig, requestId: String) {
        self.config = config
        self.requestId = requestId
    }
}
