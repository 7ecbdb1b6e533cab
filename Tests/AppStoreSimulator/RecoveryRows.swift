import AppStoreServerAPI
import AppStoreSimulator
import System
import Testing

/// The rows of the operations that tell about notifications, subscriptions and transactions.
enum RecoveryRows {
    static let all = histories + tests + statuses + transactions + infos

    /// The errors that a user can give to a transaction.
    static let refusals: [String: AppStoreServerAPIErrorCode] = [
        "31": .invalidAppIdentifier, "32": .accountNotFound, "33": .accountNotFoundRetryable,
        "34": .appNotFound,
        "35": .appNotFoundRetryable,
    ]

    private static func history(
        _ expected: String, _ more: String, start: Int64 = Team.now - 3_600_000, end: Int64 = Team.now,
        query: String = "", in environment: Environment = .sandbox
    ) -> OperationRow {
        let body = #"{"startDate":\#(start),"endDate":\#(end)\#(more)}"#
        let path = "/v1/notifications/history" + query
        return OperationRow(.notificationHistory, expected, "POST", path, .json(body), in: environment) {
            $0.live(in: environment)
        }
    }

    private static let day: Int64 = 86_400_000
    private static let path = "/v1/notifications/history"

    private static let histories: [OperationRow] = [
        history("200", ""), history("200", #","notificationType":"DID_RENEW""#),
        history("200", #","notificationType":"SUBSCRIBED","notificationSubtype":"INITIAL_BUY""#),
        history("200", #","transactionId":"2000000001","onlyFailures":true"#),
        history("200", "", end: Team.now + day), history("200", "", start: Team.now - 30 * day),
        history("200", "", start: Team.now - 180 * day, in: .production),
        history("400 4000012", "", start: Team.now - 30 * day - 1),
        history("400 4000012", "", start: Team.now - 180 * day - 1, in: .production),
        history("400 4000013", "", end: Team.now - 3_600_001),
        history("400 4000014", "", query: "?paginationToken=abc"),
        history("400 4000014", "", query: "?paginationToken="),
        history("400 4000018", #","notificationType":"NEVER""#),
        history("400 4000018", #","notificationType":7"#),
        history("400 4000018", #","notificationType":"DID_RENEW","notificationSubtype":"INITIAL_BUY""#),
        history("400 4000018", #","notificationSubtype":"INITIAL_BUY""#),
        history("400 4000019", #","notificationType":"DID_RENEW","transactionId":"2000000001""#),
        history("400 4000006", #","transactionId":"x""#), history("404 4040010", #","transactionId":"9""#),
        history("404 4040001", #","transactionId":"32""#), history("400 4000000", #","onlyFailures":"yes""#),
        OperationRow(.notificationHistory, "400 4000015", "POST", path, .json("{}")),
        OperationRow(.notificationHistory, "400 4000015", "POST", path, .json(#"{"startDate":"1"}"#)),
        OperationRow(.notificationHistory, "400 4000016", "POST", path, .json(#"{"startDate":1}"#)),
        OperationRow(.notificationHistory, "400 4000000", "POST", path, .json("[]")),
        OperationRow(.notificationHistory, "400 4000000", "POST", path),
    ]

    private static let token = "\(Sample.other)_\(Team.now)"
    private static let tests: [OperationRow] = [
        OperationRow(.requestTestNotification, "404 4040007", "POST", "/v1/notifications/test"),
        OperationRow(.requestTestNotification, "200", "POST", "/v1/notifications/test") {
            $0.setNotificationURL()
        },
        OperationRow(.testNotificationStatus, "400 4000020", "GET", "/v1/notifications/test/abc"),
        OperationRow(
            .testNotificationStatus, "400 4000020", "GET", "/v1/notifications/test/\(Sample.other)_x"),
        OperationRow(.testNotificationStatus, "404 4040008", "GET", "/v1/notifications/test/\(token)"),
    ]

    private static func status(_ expected: String, _ path: String) -> OperationRow {
        OperationRow(.subscriptionStatuses, expected, "GET", "/v1/subscriptions/" + path) { $0.live() }
    }

    private static let statuses: [OperationRow] = [
        status("200", "2000000001"), status("200", "2000000002?status=1&status=5"),
        status("200", "2700000001"), status("400 4000031", "2000000001?status=6"),
        status("400 4000031", "2000000001?status=one"), status("400 4000006", "two"),
        status("404 4040010", "7"), status("400 4000002", "31"), status("404 4040001", "32"),
        status("404 4040002", "33"), status("404 4040003", "34"), status("404 4040004", "35"),
    ]

    private static func transaction(_ expected: String, _ path: String) -> OperationRow {
        OperationRow(.transactionHistory, expected, "GET", "/v2/history/" + path) { $0.live() }
    }

    private static let transactions: [OperationRow] = [
        transaction("200", "2000000001"), transaction("200", "2000000002?sort=DESCENDING&revoked=false"),
        transaction("200", "2000000001?revoked=False"), transaction("200", "2000000001?revoked=True"),
        transaction("400 4000005", "2000000001?revision=x"), transaction("400 4000006", "-1"),
        transaction("400 4000015", "2000000001?startDate=x"),
        transaction("400 4000016", "2000000001?endDate=-1"),
        transaction("400 4000016", "2000000001?startDate=2&endDate=1"),
        transaction("400 4000021", "2000000001?sort=UP"),
        transaction("400 4000022", "2000000001?productType=X"),
        transaction("400 4000023", "2000000001?productId="),
        transaction("400 4000024", "2000000001?subscriptionGroupIdentifier=a"),
        transaction("400 4000025", "2000000001?excludeRevoked=1"),
        transaction("400 4000026", "2000000001?inAppOwnershipType=LENT"),
        transaction("400 4000030", "2000000001?revoked=maybe"), transaction("404 4040010", "7"),
        transaction("400 4000002", "31"), transaction("404 4040001", "32"), transaction("404 4040002", "33"),
        transaction("404 4040003", "34"), transaction("404 4040004", "35"),
    ]

    private static func info(_ expected: String, _ identifier: String) -> OperationRow {
        OperationRow(.transactionInfo, expected, "GET", "/v1/transactions/" + identifier) { $0.live() }
    }

    private static let infos: [OperationRow] = [
        info("200", "2000000001"), info("200", "2000000002"), info("400 4000006", "x"),
        info("400 4000048", "2700000001"), info("404 4040010", "7"),
    ]
}
