internal import System

/// A performance test that was started.
struct PerformanceTestRun: Sendable, Hashable, Codable {
    let requestId: UUID
    let target: String
    let configuration: PerformanceTestConfiguration
    let startedMilliseconds: Int64
    /// How it ended; nil while it runs.
    var result: PerformanceTestResultResponse?

    /// How long after its end a test without a result counts as failed.
    private static let graceMilliseconds: Int64 = 10_000

    /// The answer of Get Performance Test Results.
    var response: PerformanceTestResultResponse { result ?? unfinished(.pending) }

    /// Ends a test whose caller has never given a result.
    mutating func expire(at now: Int64 = .max) {
        guard result == nil, now >= startedMilliseconds + configuration.totalDuration + Self.graceMilliseconds
        else { return }
        result = unfinished(.fail)
    }

    private func unfinished(_ result: PerformanceTestResultResponse.Result) -> PerformanceTestResultResponse {
        PerformanceTestResultResponse(
            result: result, config: configuration, target: target, numPending: configuration.totalRequests)
    }
}
