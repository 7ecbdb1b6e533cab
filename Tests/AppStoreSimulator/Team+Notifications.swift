import AppStoreSimulator
import JSON
import System
import Testing

extension Team {
    private static let chain = Result {
        try AppleShapedChain.make(
            notBeforeMilliseconds: now - 400 * 86_400_000, notAfterMilliseconds: now + 4000 * 86_400_000)
    }

    /// A team whose simulator can sign.
    static func signing(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws -> Team {
        let signer = try SignedRequestBuilder(chain: chain.get())
        return try Team {
            $0.signer = signer
            change(&$0)
        }
    }

    mutating func setNotificationURL(in environment: Environment = .sandbox) {
        let body = #"{"bundleId":"\#(Self.bundleId)","url":"https://localhost:9443/notifications"}"#
        #expect(administer("POST", "notification-url", .json(body), in: environment).status == 200)
    }

    /// Makes notifications of a subscriber's events.
    mutating func notify(
        _ kinds: [String], subscriber: Int64 = 2_000_000_001, in environment: Environment = .sandbox
    ) {
        let events = kinds.map { #"{"kind":"\#($0)","subscriber":\#(subscriber)}"# }.joined(separator: ",")
        let body = #"{"bundleId":"\#(Self.bundleId)","events":[\#(events)]}"#
        let answer = administer("POST", "notifications", .json(body), in: environment)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    /// Sends everything that is due; each attempt has the result that `result` gives for its body.
    @discardableResult
    mutating func deliver(_ result: ([UInt8]) -> SendAttemptResult = { _ in .success }) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        while true {
            let due = simulator.takeDueNotifications(at: now, count: 7)
            guard !due.isEmpty else { return bodies }
            for delivery in due {
                bodies.append(delivery.body)
                simulator.finishDelivery(delivery, result: result(delivery.body), at: now)
            }
        }
    }

    /// Sends a life of one subscriber of `periods` periods.
    mutating func live(
        periods: Int = 2, subscriber: Int64 = 2_000_000_001, in environment: Environment = .sandbox
    ) {
        setNotificationURL(in: environment)
        let renewals = [String](repeating: "DID_RENEW", count: periods - 1)
        notify(["SUBSCRIBED.INITIAL_BUY"] + renewals, subscriber: subscriber, in: environment)
        deliver()
    }

    /// The body of Get Notification History for the last hours.
    func history(hours: Int64 = 24, _ more: String = "") -> TestBody {
        .json(#"{"startDate":\#(now - hours * 3_600_000),"endDate":\#(now)\#(more)}"#)
    }

    /// Reads all pages of the history. Returns the payloads and the numbers of attempts.
    mutating func wholeHistory(_ more: String = "", hours: Int64 = 24, in environment: Environment = .sandbox)
        throws -> [(jws: String, attempts: [String])]
    {
        var found: [(String, [String])] = []
        var query = ""
        let body = history(hours: hours, more)
        while true {
            let answer = try ask("POST", "/v1/notifications/history" + query, body, in: environment)
            let root = try #require(answer.root)
            let items = root.member("notificationHistory")?.elements ?? []
            for item in items {
                let attempts = item.member("sendAttempts")?.elements ?? []
                found.append(
                    (
                        item.member("signedPayload")?.string ?? "",
                        attempts.compactMap { $0.member("sendAttemptResult")?.string }
                    )
                )
            }
            guard root.member("hasMore")?.boolean == true else { return found }
            #expect(items.count == 20)
            query = "?paginationToken=" + (root.member("paginationToken")?.string ?? "")
        }
    }
}
