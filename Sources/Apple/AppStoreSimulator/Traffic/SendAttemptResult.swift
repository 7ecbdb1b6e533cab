package import HTTPClient

/// The outcome of one request, by the name that Apple's server gives it (`sendAttemptResult`).
///
/// Source: Apple, sendAttemptResult. The names are Apple's. Apple does not say which error gets which name: the assignment
/// here is this project's interpretation.
package enum SendAttemptResult: String, Sendable, Hashable, CaseIterable, Codable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    case invalidResponse = "INVALID_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"

    /// Makes the outcome from an answer, or from the error when no answer came.
    package init(_ outcome: Result<HTTPResponse, HTTPClientError>, thresholdMilliseconds: Int64) {
        switch outcome {
        case .success(let response):
            self = Self.judge(response, thresholdMilliseconds: thresholdMilliseconds)
        case .failure(let error):
            self = Self.name(error)
        }
    }

    /// Makes the outcome of sending a notification. Any status from 200 to 206 is success, whatever the body.
    ///
    /// Source: Apple, Responding to App Store Server Notifications.
    package init(notification outcome: Result<HTTPResponse, HTTPClientError>) {
        switch outcome {
        case .success(let response):
            self = (200...206).contains(response.status) ? .success : .unsuccessfulStatus
        case .failure(let error): self = Self.name(error)
        }
    }

    private static func judge(_ response: HTTPResponse, thresholdMilliseconds: Int64) -> Self {
        if response.timings.totalMicroseconds > thresholdMilliseconds * 1000 { return .timedOut }
        // Apple documents only 200 as success here, unlike for notifications.
        guard response.status == 200 else { return .unsuccessfulStatus }
        guard RealtimeAnswer.hasSupportedCharset(response.contentType) else { return .unsupportedCharset }
        return RealtimeAnswer.flaw(in: response.body) == nil ? .success : .invalidResponse
    }

    private static func name(_ error: HTTPClientError) -> Self {
        switch error {
        case .timedOut: .timedOut
        case .tls: .tlsIssue
        case .tooManyRedirections: .circularRedirect
        case .noResponse: .noResponse
        case .unresolved, .notConnected, .connectionBroken: .socketIssue
        case .closedEarly: .prematureClose
        case .responseTooLarge, .notHTTP: .invalidResponse
        case .badURL, .badAuthorities, .other: .other
        }
    }
}
