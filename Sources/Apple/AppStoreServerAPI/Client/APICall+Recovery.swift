extension APICall {
    static func notificationHistory(_ request: NotificationHistoryRequest, _ token: String?) -> APICall {
        let query = URLQuery.text(token.map { [("paginationToken", $0)] } ?? [])
        var call = APICall(.notificationHistory, "POST", path: "/inApps/v1/notifications/history" + query)
        call.contentType = "application/json"
        call.body = request.json
        return call
    }

    /// Apple documents no body; a POST says nevertheless how long its body is (RFC 9110, section 8.6).
    static let requestTestNotification: APICall = {
        var call = APICall(.requestTestNotification, "POST", path: "/inApps/v1/notifications/test")
        call.body = []
        return call
    }()

    static func testNotificationStatus(_ token: String) throws(InvalidArgument) -> APICall {
        let segment = try PathSegment.encoded(token, name: "testNotificationToken")
        return APICall(.testNotificationStatus, "GET", path: "/inApps/v1/notifications/test/\(segment)")
    }

    static func subscriptionStatuses(_ identifier: String, _ statuses: [Int]) throws(InvalidArgument)
        -> APICall
    {
        let segment = try PathSegment.encoded(identifier, name: "transactionId")
        let query = URLQuery.text(statuses.map { ("status", String($0)) })
        return APICall(.subscriptionStatuses, "GET", path: "/inApps/v1/subscriptions/\(segment)\(query)")
    }

    static func transactionHistory(
        _ identifier: String, _ request: TransactionHistoryRequest, _ revision: String?
    ) throws(InvalidArgument) -> APICall {
        let segment = try PathSegment.encoded(identifier, name: "transactionId")
        let query = URLQuery.text((revision.map { [("revision", $0)] } ?? []) + request.parameters)
        return APICall(.transactionHistory, "GET", path: "/inApps/v2/history/\(segment)\(query)")
    }

    static func transactionInfo(_ identifier: String) throws(InvalidArgument) -> APICall {
        let segment = try PathSegment.encoded(identifier, name: "transactionId")
        return APICall(.transactionInfo, "GET", path: "/inApps/v1/transactions/\(segment)")
    }
}

enum URLQuery {
    /// Returns the parameters behind a question mark, each name and value in percent-encoding; an empty text without
    /// parameters.
    static func text(_ parameters: [(name: String, value: String)]) -> String {
        let pairs = parameters.map { "\(PercentEncoding.of($0.name))=\(PercentEncoding.of($0.value))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
