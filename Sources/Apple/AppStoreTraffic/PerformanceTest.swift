internal import Cryptography
public import HTTPClient
internal import System

/// Plays Apple's performance test against an endpoint: so many signed requests, so many at once, each different.
public struct PerformanceTest: Sendable {
    /// What to do.
    public var configuration: PerformanceTestConfiguration
    /// The endpoint's URL.
    public var url: String
    /// A PEM file with the authorities the endpoint's certificate may come from; nil for the system's.
    public var authoritiesFile: String?
    /// HTTP/1.1 or HTTP/2.
    public var protocolVersion = HTTPClientConfiguration.ProtocolVersion.http1

    /// A test of `url`.
    public init(configuration: PerformanceTestConfiguration, url: String) {
        self.configuration = configuration
        self.url = url
    }

    /// Runs to the end: all requests answered, or the duration over.
    ///
    /// - Parameters:
    ///   - builder: signs the requests.
    ///   - payload: gives the payload of a request by its number, from 0. Each is signed just before it is sent.
    ///   - progress: told how many are answered, often.
    /// - Returns: what was found.
    /// - Throws: `app-store-traffic.out-of-range`, `app-store-traffic.signing`, `app-store-traffic.http` when not even
    ///   a request could be prepared.
    public func run(
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
        // Apple's server does not wait longer than the threshold, so neither does this one.
        client.timeoutMilliseconds = Int(configuration.responseTimeThreshold)
        client.connectTimeoutMilliseconds = Int(configuration.responseTimeThreshold)
        // That Apple follows some is known from CIRCULAR_REDIRECT alone.
        client.redirectionCount = 5
        return client
    }

    private struct Tally {
        /// Different reasons that are told apart; a server could make up a new one for each request.
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

        /// The most frequent first.
        var causes: [PerformanceTestCause] {
            reasons.flatMap { outcome, counts in
                counts.map { PerformanceTestCause(outcome: outcome, reason: $0.key, count: $0.value) }
            }.sorted {
                ($1.count, $0.outcome.rawValue, $0.reason) < ($0.count, $1.outcome.rawValue, $1.reason)
            }
        }
    }
}
