internal import Cryptography
package import HTTPClient
internal import System

/// Runs a test like Apple's performance test against an endpoint: it sends a number of signed requests, several at once,
/// each with a payload of its own.
///
///     let authority = try TestAuthority(directory: "authority")
///     let test = PerformanceTest(configuration: PerformanceTestConfiguration(), url: url)
///     let result = try test.run(signing: authority.requestBuilder, payload: makePayload)
package struct PerformanceTest: Sendable {
    package var configuration: PerformanceTestConfiguration
    package var url: String
    /// The path of a PEM file with the authorities that may issue the endpoint's certificate; nil for the system's authorities.
    package var authoritiesFile: String?
    /// The version of HTTP: HTTP/1.1 or HTTP/2.
    package var protocolVersion = HTTPClientConfiguration.ProtocolVersion.http1
    /// How many redirections of one request are followed. Apple's server follows redirections: only the name
    /// CIRCULAR_REDIRECT shows this, and not how many.
    package var redirectionCount = 5

    package init(configuration: PerformanceTestConfiguration, url: String) {
        self.configuration = configuration
        self.url = url
    }

    /// Runs the test until all requests have ended or the duration is over.
    ///
    /// - Parameters:
    ///   - builder: signs the requests.
    ///   - payload: returns the payload of a request by its number, from 0. Each is signed just before it is sent.
    ///   - progress: called after each request that ended, with the number of requests that have ended.
    /// - Returns: the result of the test.
    /// - Throws: `app-store-traffic.out-of-range`, `app-store-traffic.signing`, `app-store-traffic.http` when libcurl fails or
    ///   a request cannot be prepared.
    package func run(
        signing builder: SignedRequestBuilder,
        payload: (Int) -> RequestPayload,
        progress: (Int64) -> Void = { _ in }
    ) throws(AppStoreTrafficError) -> PerformanceTestResult {
        try configuration.check()
        var tally = Tally()
        var sent = 0
        var failure: CryptographyError?
        let start = Clock.monotonicNanoseconds()
        let end = start + UInt64(configuration.totalDuration) * 1_000_000
        do {
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
        } catch {
            throw .http(error)
        }
        if let failure { throw .signing(failure) }
        return PerformanceTestResult(
            configuration: configuration,
            target: url,
            numPending: configuration.totalRequests - tally.count,
            outcomes: tally.outcomes,
            causes: tally.causes,
            statuses: tally.statuses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            responseTimes: ResponseTimes(microseconds: tally.microseconds),
            elapsedNanoseconds: Clock.monotonicNanoseconds() - start
        )
    }

    private var clientConfiguration: HTTPClientConfiguration {
        var client = HTTPClientConfiguration()
        client.authoritiesFile = authoritiesFile
        client.protocolVersion = protocolVersion
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
