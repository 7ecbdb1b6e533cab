internal import AppStoreServerAPI
internal import Cryptography
internal import HTTPClient
package import System

/// A test like Apple's: a number of signed requests, several at once, each with a payload of its own.
package struct PerformanceTest: Sendable {
    package var configuration: PerformanceTestConfiguration
    package var url: String
    package var authoritiesFile: String?
    /// Apple's server follows redirections, as the name CIRCULAR_REDIRECT shows, and does not say how many.
    package var redirectionCount = 5

    package init(configuration: PerformanceTestConfiguration, url: String) {
        self.configuration = configuration
        self.url = url
    }

    /// Runs the test until all requests have ended or the duration is over.
    package func run(
        signing builder: SignedRequestBuilder,
        payload: (Int) -> RequestPayload,
        progress: (Int64) -> Void = { _ in }
    ) throws -> PerformanceTestResult {
        try configuration.check()
        var result = PerformanceTestResult(configuration: configuration, target: url)
        var sent = 0
        var failure: CryptographyError?
        let start = Clock.monotonicNanoseconds()
        let end = start + UInt64(configuration.totalDuration) * 1_000_000
        let client = try HTTPClient(configuration: clientConfiguration)
        _ = try client.performAll(concurrency: Int(configuration.maxConcurrentRequests)) {
            failure != nil || Clock.monotonicNanoseconds() >= end
        } next: {
            guard sent < configuration.totalRequests else { return nil }
            do throws(CryptographyError) {
                let body = try builder.body(payload(sent))
                sent += 1
                return .postJSON(body, to: url)
            } catch {
                failure = error
                return nil
            }
        } finished: { _, outcome in
            result.add(outcome)
            progress(configuration.totalRequests - result.numPending)
        }
        if let failure { throw failure }
        result.microseconds.sort()
        result.elapsedNanoseconds = Clock.monotonicNanoseconds() - start
        return result
    }

    private var clientConfiguration: HTTPClientConfiguration {
        var client = HTTPClientConfiguration()
        client.authoritiesFile = authoritiesFile
        // Apple's server does not wait longer than the threshold, so this client does not either.
        client.timeoutMilliseconds = Int(configuration.responseTimeThreshold)
        client.connectTimeoutMilliseconds = Int(configuration.responseTimeThreshold)
        client.redirectionCount = redirectionCount
        return client
    }
}

/// The result of a performance test, with what Apple's object does not have.
package struct PerformanceTestResult: Sendable {
    let configuration: PerformanceTestConfiguration
    let target: String
    package private(set) var outcomes: [SendAttemptResult: Int64] = [:]
    package private(set) var statuses: [Int: Int64] = [:]
    private(set) var reasons: [SendAttemptResult: [String: Int64]] = [:]
    /// The response times of all requests that were answered, in the end sorted.
    var microseconds: [Int64] = []
    var elapsedNanoseconds: UInt64 = 0

    init(configuration: PerformanceTestConfiguration, target: String) {
        (self.configuration, self.target) = (configuration, target)
    }

    mutating func add(_ outcome: Result<HTTPResponse, HTTPClientError>) {
        let result = SendAttemptResult(
            outcome, thresholdMilliseconds: configuration.responseTimeThreshold)
        outcomes[result, default: 0] += 1
        switch outcome {
        case .success(let response):
            microseconds.append(response.timings.totalMicroseconds)
            statuses[response.status, default: 0] += 1
            guard result == .invalidResponse else { return }
            reasons[result, default: [:]][RealtimeAnswer.flaw(in: response.body) ?? "", default: 0] += 1
        case .failure(let error): reasons[result, default: [:]][error.description, default: 0] += 1
        }
    }

    package var numPending: Int64 { configuration.totalRequests - outcomes.values.reduce(0, +) }

    /// The causes of outcomes that were no success, the most frequent first.
    package var causes: [(outcome: SendAttemptResult, reason: String, count: Int64)] {
        reasons.flatMap { outcome, counts in
            counts.map { (outcome, $0.key, $0.value) }
        }.sorted {
            ($1.count, $0.outcome.rawValue, $0.reason) < ($0.count, $1.outcome.rawValue, $1.reason)
        }
    }

    /// The share of requests that succeeded, in percent, rounded down. A pending request did not succeed.
    package var successRate: Int64 {
        (outcomes[.success] ?? 0) * 100 / max(configuration.totalRequests, 1)
    }

    package var isPass: Bool { successRate >= configuration.successRateThreshold }

    package var answerCount: Int { microseconds.count }

    package var answersPerSecond: Double {
        Double(answerCount) * 1e9 / Double(max(elapsedNanoseconds, 1))
    }

    package var averageMicroseconds: Int64 {
        microseconds.reduce(0, +) / Int64(max(answerCount, 1))
    }

    package func percentile(_ percent: Int) -> Int64 {
        answerCount == 0 ? 0 : microseconds[max((answerCount * percent + 99) / 100, 1) - 1]
    }

    package var response: PerformanceTestResultResponse {
        // Rounded up, so that a time above a threshold never seems to meet it.
        func milliseconds(_ microseconds: Int64) -> Int64 { (microseconds + 999) / 1000 }
        var failures: [String: Int64] = [:]
        for (outcome, count) in outcomes where outcome != .success { failures[outcome.rawValue] = count }
        return PerformanceTestResultResponse(
            result: isPass ? .pass : .fail, config: configuration, target: target, successRate: successRate,
            numPending: numPending,
            responseTimes: .init(
                average: milliseconds(averageMicroseconds), p50: milliseconds(percentile(50)),
                p90: milliseconds(percentile(90)), p95: milliseconds(percentile(95)),
                p99: milliseconds(percentile(99))),
            failures: failures)
    }
}

/// The answer of Get Performance Test Results. Source: Apple, PerformanceTestResultResponse.
package struct PerformanceTestResultResponse: Sendable, Hashable, Codable {
    package enum Result: String, Sendable, Hashable, Codable {
        case pending = "PENDING"
        case pass = "PASS"
        case fail = "FAIL"
    }

    package struct ResponseTimes: Sendable, Hashable, Codable {
        var average: Int64 = 0
        var p50: Int64 = 0
        var p90: Int64 = 0
        var p95: Int64 = 0
        var p99: Int64 = 0
    }

    package let result: Result
    let config: PerformanceTestConfiguration
    let target: String
    let successRate: Int64
    let numPending: Int64
    let responseTimes: ResponseTimes
    /// How often each kind of failure occurred, as Apple spells it in sendAttemptResult: `TIMED_OUT`, `TLS_ISSUE`.
    let failures: [String: Int64]

    package init(
        result: Result, config: PerformanceTestConfiguration, target: String, successRate: Int64 = 0,
        numPending: Int64 = 0, responseTimes: ResponseTimes? = nil, failures: [String: Int64] = [:]
    ) {
        self.result = result
        self.config = config
        self.target = target
        self.successRate = successRate
        self.numPending = numPending
        self.responseTimes = responseTimes ?? ResponseTimes()
        self.failures = failures
    }

    package var json: [UInt8] { AppleJSON.encode(self) }
}

/// Named as in Apple's PerformanceTestConfig. Apple does not publish its numbers: these are a guess, meant to be strict.
package struct PerformanceTestConfiguration: Sendable, Hashable, Codable {
    package var maxConcurrentRequests: Int64 = 10
    package var totalRequests: Int64 = 1000
    /// The longest duration of the test, in milliseconds, 1 to 3,600,000. Requests without an answer then stay pending.
    package var totalDuration: Int64 = 60_000
    package var responseTimeThreshold: Int64 = 700
    package var successRateThreshold: Int64 = 95

    package init() {}

    /// Refuses numbers outside their ranges. The ranges also limit the load on a server when somebody mistypes a number.
    package func check() throws(ToolError) {
        let numbers: [(name: String, value: Int64, range: ClosedRange<Int64>)] = [
            ("maxConcurrentRequests", maxConcurrentRequests, 1...256),
            ("totalRequests", totalRequests, 1...10_000_000),
            ("totalDuration", totalDuration, 1...3_600_000),
            ("responseTimeThreshold", responseTimeThreshold, 1...60_000),
            ("successRateThreshold", successRateThreshold, 0...100),
        ]
        for number in numbers where !number.range.contains(number.value) {
            throw ToolError(
                .usage, code: "app-store-traffic.out-of-range",
                "\(number.name) must be between \(number.range.lowerBound) and \(number.range.upperBound)")
        }
    }
}
