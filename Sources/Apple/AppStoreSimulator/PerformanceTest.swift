internal import AppStoreServerAPI
internal import Cryptography
internal import HTTPClient
package import System

/// Runs a test like Apple's performance test against an endpoint: it sends a number of signed requests, several at once,
/// each with a payload of its own.
///
///     let authority = try TestAuthority(directory: "authority")
///     let test = PerformanceTest(configuration: PerformanceTestConfiguration(), url: url)
///     let result = try test.run(signing: authority.requestBuilder, payload: makePayload)
package struct PerformanceTest: Sendable {
    package var configuration: PerformanceTestConfiguration
    package var url: String
    package var authoritiesFile: String?
    /// How many redirections of one request are followed. Apple's server follows redirections: only the name
    /// CIRCULAR_REDIRECT shows this, and not how many.
    package var redirectionCount = 5

    package init(configuration: PerformanceTestConfiguration, url: String) {
        self.configuration = configuration
        self.url = url
    }

    /// Runs the test until all requests have ended or the duration is over.
    ///
    /// - Throws: `app-store-traffic.out-of-range`, or the error of signing or of libcurl.
    package func run(
        signing builder: SignedRequestBuilder,
        payload: (Int) -> RequestPayload,
        progress: (Int64) -> Void = { _ in }
    ) throws -> PerformanceTestResult {
        try configuration.check()
        var tally = Tally()
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
            tally.add(outcome, thresholdMilliseconds: configuration.responseTimeThreshold)
            progress(tally.count)
        }
        if let failure { throw failure }
        return PerformanceTestResult(
            configuration: configuration, target: url,
            numPending: configuration.totalRequests - tally.count, outcomes: tally.outcomes,
            causes: tally.causes, statuses: tally.statuses,
            sortedMicroseconds: tally.microseconds.sorted(),
            elapsedNanoseconds: Clock.monotonicNanoseconds() - start)
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

    private struct Tally {
        /// The number of different reasons that are counted separately. A server could cause a new reason for each request.
        static let reasonLimit = 20

        var outcomes: [SendAttemptResult: Int64] = [:]
        var reasons: [SendAttemptResult: [String: Int64]] = [:]
        var statuses: [Int: Int64] = [:]
        var microseconds: [Int64] = []
        var count: Int64 = 0

        mutating func add(_ outcome: Result<HTTPResponse, HTTPClientError>, thresholdMilliseconds: Int64) {
            let result = SendAttemptResult(outcome, thresholdMilliseconds: thresholdMilliseconds)
            outcomes[result, default: 0] += 1
            count += 1
            switch outcome {
            case .success(let response):
                microseconds.append(response.timings.totalMicroseconds)
                statuses[response.status, default: 0] += 1
                guard result == .invalidResponse else { return }
                add(RealtimeAnswer.flaw(in: response.body) ?? "", to: result)
            case .failure(let error): add(error.description, to: result)
            }
        }

        private mutating func add(_ reason: String, to result: SendAttemptResult) {
            let isNew = reasons[result]?[reason] == nil
            let isFull = reasons.values.map(\.count).reduce(0, +) >= Self.reasonLimit
            reasons[result, default: [:]][isNew && isFull ? "other reasons" : reason, default: 0] += 1
        }

        /// The causes of outcomes that were no success, the most frequent first.
        var causes: [(outcome: SendAttemptResult, reason: String, count: Int64)] {
            reasons.flatMap { outcome, counts in
                counts.map { (outcome, $0.key, $0.value) }
            }.sorted {
                ($1.count, $0.outcome.rawValue, $0.reason) < ($0.count, $1.outcome.rawValue, $1.reason)
            }
        }
    }
}

/// The result of a performance test, with what Apple's object does not have.
package struct PerformanceTestResult: Sendable {
    let configuration: PerformanceTestConfiguration
    let target: String
    package let numPending: Int64
    package let outcomes: [SendAttemptResult: Int64]
    package let causes: [(outcome: SendAttemptResult, reason: String, count: Int64)]
    package let statuses: [Int: Int64]
    /// The response times of all requests that were answered, whatever the answer.
    private let sortedMicroseconds: [Int64]
    private let elapsedNanoseconds: UInt64

    init(
        configuration: PerformanceTestConfiguration, target: String, numPending: Int64,
        outcomes: [SendAttemptResult: Int64],
        causes: [(outcome: SendAttemptResult, reason: String, count: Int64)], statuses: [Int: Int64],
        sortedMicroseconds: [Int64], elapsedNanoseconds: UInt64
    ) {
        self.configuration = configuration
        self.target = target
        self.numPending = numPending
        self.outcomes = outcomes
        self.causes = causes
        self.statuses = statuses
        self.sortedMicroseconds = sortedMicroseconds
        self.elapsedNanoseconds = elapsedNanoseconds
    }

    /// The share of requests that succeeded, in percent, rounded down. A pending request did not succeed.
    package var successRate: Int64 {
        (outcomes[.success] ?? 0) * 100 / max(configuration.totalRequests, 1)
    }

    package var isPass: Bool { successRate >= configuration.successRateThreshold }

    package var answerCount: Int { sortedMicroseconds.count }

    package var answersPerSecond: Double {
        Double(answerCount) * 1e9 / Double(max(elapsedNanoseconds, 1))
    }

    package var averageMicroseconds: Int64 {
        sortedMicroseconds.reduce(0, +) / Int64(max(answerCount, 1))
    }

    /// Returns the nearest-rank percentile in microseconds; 0 without an answer.
    package func percentile(_ percent: Int) -> Int64 {
        answerCount == 0 ? 0 : sortedMicroseconds[max((answerCount * percent + 99) / 100, 1) - 1]
    }

    /// The result as Apple's server gives it.
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

/// The answer of Get Performance Test Results.
///
/// Source: Apple, PerformanceTestResultResponse.
package struct PerformanceTestResultResponse: Sendable, Hashable, Codable {
    package enum Result: String, Sendable, Hashable, Codable {
        case pending = "PENDING"
        case pass = "PASS"
        case fail = "FAIL"
    }

    package struct ResponseTimes: Sendable, Hashable, Codable {
        let average: Int64
        let p50: Int64
        let p90: Int64
        let p95: Int64
        let p99: Int64

        package init(average: Int64 = 0, p50: Int64 = 0, p90: Int64 = 0, p95: Int64 = 0, p99: Int64 = 0) {
            (self.average, self.p50, self.p90, self.p95, self.p99) = (average, p50, p90, p95, p99)
        }
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
        numPending: Int64 = 0, responseTimes: ResponseTimes = ResponseTimes(), failures: [String: Int64] = [:]
    ) {
        self.result = result
        self.config = config
        self.target = target
        self.successRate = successRate
        self.numPending = numPending
        self.responseTimes = responseTimes
        self.failures = failures
    }

    package var json: [UInt8] { AppleJSON.encode(self) }
}

/// The numbers of a performance test, with the names of Apple's PerformanceTestConfig.
///
/// Apple does not publish the numbers that it uses. The defaults here are a guess that is meant to be strict.
package struct PerformanceTestConfiguration: Sendable, Hashable, Codable {
    package var maxConcurrentRequests: Int64 = 10
    package var totalRequests: Int64 = 1000
    /// The longest duration of the test, in milliseconds, 1 to 3,600,000. Requests without an answer then stay pending.
    package var totalDuration: Int64 = 60_000
    package var responseTimeThreshold: Int64 = 700
    package var successRateThreshold: Int64 = 95

    package init() {}

    /// Refuses numbers outside their ranges. The ranges also limit the load on a server when somebody mistypes a number.
    ///
    /// - Throws: `app-store-traffic.out-of-range`.
    package func check() throws(ToolError) {
        try Self.check("maxConcurrentRequests", maxConcurrentRequests, 1...256)
        try Self.check("totalRequests", totalRequests, 1...10_000_000)
        try Self.check("totalDuration", totalDuration, 1...3_600_000)
        try Self.check("responseTimeThreshold", responseTimeThreshold, 1...60_000)
        try Self.check("successRateThreshold", successRateThreshold, 0...100)
    }

    private static func check(_ name: String, _ number: Int64, _ range: ClosedRange<Int64>)
        throws(ToolError)
    {
        guard !range.contains(number) else { return }
        throw ToolError(
            .usage, code: "app-store-traffic.out-of-range",
            "\(name) must be between \(range.lowerBound) and \(range.upperBound)")
    }
}
