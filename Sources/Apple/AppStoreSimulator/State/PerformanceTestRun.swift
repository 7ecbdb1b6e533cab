internal import AppStoreTraffic
public import AppStoreServerAPI
internal import JSON
internal import Vocabulary

/// A performance test that was started.
struct PerformanceTestRun: Sendable, Hashable {
    let requestId: UUID
    let target: String
    let configuration: PerformanceTestConfiguration
    let startedMilliseconds: Int64
    /// The outcome; nil while the test runs.
    var outcome: PerformanceTestOutcome?

    /// How long after its end a test without an outcome counts as failed.
    private static let graceMilliseconds: Int64 = 10_000

    /// Ends a test whose caller has never given an outcome.
    mutating func expire(at now: Int64) {
        guard outcome == nil,
            now >= startedMilliseconds + configuration.totalDuration + Self.graceMilliseconds
        else { return }
        outcome = PerformanceTestOutcome(pendingCount: configuration.totalRequests)
    }

    /// The answer of Get Performance Test Results.
    var response: PerformanceTestResultResponse {
        let outcome = outcome ?? PerformanceTestOutcome(pendingCount: configuration.totalRequests)
        return outcome.response(
            self.outcome.map(\.result) ?? .pending, config: configuration.config, target: target)
    }
}

public struct PerformanceTestOutcome: Sendable, Hashable {
    /// True when the test passed.
    public let isPass: Bool
    /// The share of requests that succeeded, in percent.
    public let successRate: Int64
    /// The number of requests that have not ended.
    public let numPending: Int64
    public let responseTimes: PerformanceTestResultResponse.ResponseTimes
    public let failures: [PerformanceTestResultResponse.Failure]

    /// Makes the outcome of a test of which no request has ended.
    public init(pendingCount: Int64) {
        self.init(failures: [], pendingCount: pendingCount)
    }

    /// Makes the outcome of a test in which all requests failed without an answer.
    ///
    /// - Parameters:
    ///   - count: the number of requests.
    ///   - failure: Apple's name of the failure.
    public init(allFailed count: Int64, failure: String) {
        self.init(failures: [.init(name: failure, count: count)], pendingCount: 0)
    }

    /// Reads Apple's result object, which `retentionctl appstore performance-test --json` prints. Returns nil for any other
    /// text, and for a test that has not ended.
    public init?(json text: [UInt8]) {
        let limits = JSONLimits(byteCount: SimulatorLimits.jsonByteCount, depth: SimulatorLimits.jsonDepth)
        guard let root = try? JSONDocument(parsing: text.span, limits: limits).root else { return nil }
        self.init(root)
    }

    init?(_ root: JSONValue) {
        guard let result = root.member("result")?.string, result == "PASS" || result == "FAIL",
            let rate = root.member("successRate")?.int64, let pending = root.member("numPending")?.int64,
            let times = root.member("responseTimes"), let average = times.member("average")?.int64,
            let p50 = times.member("p50")?.int64, let p90 = times.member("p90")?.int64,
            let p95 = times.member("p95")?.int64, let p99 = times.member("p99")?.int64,
            let failures = root.member("failures"), failures.kind == .object
        else { return nil }
        isPass = result == "PASS"
        successRate = rate
        numPending = pending
        responseTimes = .init(average: average, p50: p50, p90: p90, p95: p95, p99: p99)
        self.failures = failures.members.map { .init(name: $0.name, count: $0.value.int64 ?? 0) }
    }

    private init(failures: [PerformanceTestResultResponse.Failure], pendingCount: Int64) {
        isPass = false
        successRate = 0
        numPending = pendingCount
        responseTimes = .init(average: 0, p50: 0, p90: 0, p95: 0, p99: 0)
        self.failures = failures
    }

    /// The result of a test that has ended.
    var result: PerformanceTestResultResponse.Result { isPass ? .pass : .fail }

    /// Returns Apple's answer with the numbers of the outcome.
    func response(
        _ result: PerformanceTestResultResponse.Result, config: PerformanceTestConfig? = nil,
        target: String? = nil
    ) -> PerformanceTestResultResponse {
        PerformanceTestResultResponse(
            result: result, config: config, target: target, successRate: successRate, numPending: numPending,
            responseTimes: responseTimes, failures: failures)
    }
}
