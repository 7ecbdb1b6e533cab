package import HTTPClient
internal import JSON
internal import System

/// Checks an answer as Apple's server would. Source: Apple, RealtimeResponseBody.
package enum RealtimeAnswer {
    /// Returns the first mistake in a body, in words, or nil when the body is correct.
    package static func flaw(in body: [UInt8]) -> String? {
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        guard let document = try? JSONDocument(parsing: body.span, limits: limits),
            document.root.kind == .object
        else { return "the body is not a JSON object" }
        guard document.root.count == 1, let (name, value) = document.root.members.first else {
            return "the body does not have exactly one member"
        }
        guard value.kind == .object else { return "\(name) is not an object" }
        guard let identifier = value.member("messageIdentifier")?.string, UUID(identifier) != nil else {
            return "\(name).messageIdentifier is not a UUID"
        }
        switch name {
        case "message": return nil
        case "alternateProduct": return flaw(inAlternateProduct: value)
        case "promotionalOffer": return flaw(inPromotionalOffer: value)
        case "advancedCommerceInfo":
            return value.member("advancedCommerceData")?.string == nil
                ? "advancedCommerceInfo.advancedCommerceData is not a string" : nil
        default: return "the member is not one of the four that Apple knows"
        }
    }

    /// True when the media type names no character set, or UTF-8 or its subset US-ASCII.
    package static func hasSupportedCharset(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "charset" else { continue }
            let value = parts[1].filter { $0 != " " && $0 != "\"" }.lowercased()
            return value == "utf-8" || value == "us-ascii"
        }
        return true
    }

    private static func flaw(inAlternateProduct value: JSONValue) -> String? {
        guard value.member("productId")?.string != nil else {
            return "alternateProduct.productId is not a string"
        }
        guard let plan = value.member("billingPlanType") else { return nil }
        guard let plan = plan.string, ["BILLED_UPFRONT", "MONTHLY"].contains(plan) else {
            return "alternateProduct.billingPlanType is not BILLED_UPFRONT or MONTHLY"
        }
        return nil
    }

    private static func flaw(inPromotionalOffer value: JSONValue) -> String? {
        let (first, second) = (
            value.member("promotionalOfferSignatureV1"), value.member("promotionalOfferSignatureV2")
        )
        guard (first == nil) != (second == nil) else {
            return "promotionalOffer does not have exactly one signature"
        }
        if let second { return second.string == nil ? "promotionalOfferSignatureV2 is not a string" : nil }
        guard let first, first.kind == .object else { return "promotionalOfferSignatureV1 is not an object" }
        for name in ["encodedSignature", "productId", "nonce", "keyId", "offerIdentifier"] {
            guard first.member(named: name)?.string != nil else {
                return "promotionalOfferSignatureV1.\(name) is not a string"
            }
        }
        return first.member("timestamp")?.int64 == nil
            ? "promotionalOfferSignatureV1.timestamp is not a whole number" : nil
    }
}

/// The outcome of one request, by the name that Apple's server gives it (`sendAttemptResult`).
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

    package init(_ outcome: Result<HTTPResponse, HTTPClientError>, thresholdMilliseconds: Int64) {
        switch outcome {
        case .success(let response):
            self = Self.result(of: response, thresholdMilliseconds: thresholdMilliseconds)
        case .failure(let error):
            self = Self.name(error)
        }
    }

    /// For a notification, any status from 200 to 206 is success, whatever the body.
    /// Source: Apple, Responding to App Store Server Notifications.
    package init(notification outcome: Result<HTTPResponse, HTTPClientError>) {
        switch outcome {
        case .success(let response):
            self = (200...206).contains(response.status) ? .success : .unsuccessfulStatus
        case .failure(let error): self = Self.name(error)
        }
    }

    private static func result(of response: HTTPResponse, thresholdMilliseconds: Int64) -> Self {
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
