internal import AppStoreSimulator
internal import HTTPClient

/// Sends the notifications of the simulator, several at once, while the simulator answers requests.
final class NotificationSender {
    private let client: HTTPClient
    private var underWay: [Int: NotificationDelivery] = [:]
    private var lastNumber = 0

    /// The notifications under way at once.
    private static let concurrency = 16
    /// After how long Apple gives up an attempt is not published; its engineers say that 30 seconds are too long.
    private static let timeoutMilliseconds = 15_000

    /// Makes a sender that trusts the authorities of a PEM file; nil for the system's.
    init(authoritiesFile: String?) throws(HTTPClientError) {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = authoritiesFile
        configuration.timeoutMilliseconds = Self.timeoutMilliseconds
        configuration.connectTimeoutMilliseconds = Self.timeoutMilliseconds
        client = try HTTPClient(configuration: configuration)
    }

    /// True while an attempt has not ended.
    var isSending: Bool { !underWay.isEmpty }

    /// Starts what is due as far as there is room, and reports what has ended.
    func send(
        due: (_ count: Int) -> [NotificationDelivery],
        finished: (NotificationDelivery, SendAttemptResult, _ answer: String) -> Void
    ) throws(HTTPClientError) {
        for delivery in due(Self.concurrency - underWay.count) {
            lastNumber += 1
            let request = HTTPRequest.postJSON(delivery.body, to: delivery.url)
            do throws(HTTPClientError) {
                try client.begin(request, number: lastNumber)
                underWay[lastNumber] = delivery
            } catch {
                finished(delivery, SendAttemptResult(notification: .failure(error)), error.description)
            }
        }
        guard isSending else { return }
        try client.advance { number, outcome in
            guard let delivery = self.underWay.removeValue(forKey: number) else { return }
            finished(delivery, SendAttemptResult(notification: outcome), Self.words(outcome))
        }
    }

    /// What came back, for people: the status with the beginning of the body, or the error.
    private static func words(_ outcome: Result<HTTPResponse, HTTPClientError>) -> String {
        switch outcome {
        case .success(let response):
            let body = String(decoding: response.body.prefix(bodyByteCount), as: UTF8.self)
            return "status \(response.status)" + (body.isEmpty ? "" : " \(body)")
        case .failure(let error): return error.description
        }
    }

    /// How much of an answer is kept for people. A problem of the recorder has less.
    private static let bodyByteCount = 300
}
