import AppStoreSimulator
import HTTPClient
import Testing

@Suite("Outcomes with Apple's names")
struct SendAttemptResultTests {
    static let message = #"{"message":{"messageIdentifier":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc"}}"#

    @Test(
        "follow from status, media type and body of an answer",
        arguments: [
            (200, "application/json", message, "SUCCESS"),
            (200, nil, message, "SUCCESS"),
            (200, "application/json; charset=UTF-8", message, "SUCCESS"),
            (200, "application/json;charset=\"utf-8\"", message, "SUCCESS"),
            (200, "application/json; charset=iso-8859-1", message, "UNSUPPORTED_CHARSET"),
            (200, "application/json", "{}", "INVALID_RESPONSE"),
            (201, "application/json", message, "UNSUCCESSFUL_HTTP_RESPONSE_CODE"),
            (204, nil, "", "UNSUCCESSFUL_HTTP_RESPONSE_CODE"),
            (307, nil, "", "UNSUCCESSFUL_HTTP_RESPONSE_CODE"),
            (503, "application/problem+json", "{}", "UNSUCCESSFUL_HTTP_RESPONSE_CODE"),
        ] as [(Int, String?, String, String)]
    )
    func answers(status: Int, type: String?, body: String, name: String) {
        let response = HTTPResponse(status: status, contentType: type, body: Array(body.utf8))
        #expect(SendAttemptResult(.success(response), thresholdMilliseconds: 700).rawValue == name)
    }

    @Test(
        "report an answer after the threshold as timed out, whatever it contains",
        arguments: [(700_000, "SUCCESS"), (700_001, "TIMED_OUT")] as [(Int64, String)]
    )
    func threshold(microseconds: Int64, name: String) {
        var timings = TransferTimings()
        timings.totalMicroseconds = microseconds
        let body = Array(Self.message.utf8)
        let response = HTTPResponse(status: 200, contentType: nil, body: body, timings: timings)
        #expect(SendAttemptResult(.success(response), thresholdMilliseconds: 700).rawValue == name)
    }

    @Test(
        "follow from the reason why there is no answer",
        arguments: [
            (.timedOut, "TIMED_OUT"), (.tls("x"), "TLS_ISSUE"), (.tooManyRedirections, "CIRCULAR_REDIRECT"),
            (.noResponse, "NO_RESPONSE"), (.unresolved, "SOCKET_ISSUE"), (.notConnected("x"), "SOCKET_ISSUE"),
            (.connectionBroken("x"), "SOCKET_ISSUE"), (.closedEarly, "PREMATURE_CLOSE"),
            (.responseTooLarge, "INVALID_RESPONSE"), (.notHTTP, "INVALID_RESPONSE"), (.badURL, "OTHER"),
            (.badAuthorities, "OTHER"), (.other("x"), "OTHER"),
        ] as [(HTTPClientError, String)]
    )
    func failures(error: HTTPClientError, name: String) {
        #expect(SendAttemptResult(.failure(error), thresholdMilliseconds: 700).rawValue == name)
    }
}
