import AppStoreServerAPI
import JSON
import Testing

extension OperationCall {
    private static let attempts =
        #"[{"attemptDate":1795219200000,"sendAttemptResult":"TIMED_OUT"},"#
        + #"{"attemptDate":1795222800000,"sendAttemptResult":"SUCCESS"}]"#
    private static let sent = #"{"signedPayload":"a.b.c","sendAttempts":\#(attempts),"new":{}}"#
    private static let last =
        #"{"status":7,"originalTransactionId":"1","signedTransactionInfo":"t","signedRenewalInfo":"r"}"#

    /// The six that tell about notifications, subscriptions and transactions.
    static let recovery: [OperationCall] = [
        OperationCall(
            operation: .notificationHistory,
            request: "POST /inApps/v1/notifications/history?paginationToken=a%2Fb%3D",
            contentType: json,
            body: #"{"endDate":2,"onlyFailures":true,"startDate":1}"#,
            answer: #"{"notificationHistory":[\#(sent)],"hasMore":true,"paginationToken":"next"}"#
        ) {
            var request = NotificationHistoryRequest(startDate: 1, endDate: 2)
            request.onlyFailures = true
            let page = try $0.notificationHistory(request, paginationToken: "a/b=")
            #expect(page.paginationToken == "next" && page.notifications.map(\.signedPayload) == ["a.b.c"])
            #expect(page.notifications[0].sendAttempts.map(\.sendAttemptResult) == ["TIMED_OUT", "SUCCESS"])
            #expect(page.notifications[0].sendAttempts[1].attemptDate == 1_795_222_800_000)
        },
        OperationCall(
            operation: .requestTestNotification, request: "POST /inApps/v1/notifications/test",
            answer: #"{"testNotificationToken":"ce3af791_1795219200000"}"#
        ) {
            let token = try $0.requestTestNotification()
            #expect(token == "ce3af791_1795219200000")
        },
        OperationCall(
            operation: .testNotificationStatus, request: "GET /inApps/v1/notifications/test/ce3a%2F..",
            answer: sent
        ) {
            let status = try $0.testNotificationStatus(token: "ce3a/..")
            #expect(status?.signedPayload == "a.b.c" && status?.sendAttempts.count == 2)
        },
        OperationCall(
            operation: .subscriptionStatuses, request: "GET /inApps/v1/subscriptions/2000",
            answer: #"{"environment":"Sandbox","bundleId":"b","data":[{"subscriptionGroupIdentifier":"g","#
                + #""lastTransactions":[\#(last)]}]}"#
        ) {
            let statuses = try $0.subscriptionStatuses(of: "2000")
            #expect(statuses.bundleId == "b" && statuses.environment == "Sandbox")
            #expect(statuses.lastTransactions[0].signedRenewalInfo == "r")
        },
        OperationCall(
            operation: .transactionHistory, request: "GET /inApps/v2/history/2000?revision=r%2B1",
            answer:
                #"{"revision":"r2","hasMore":false,"environment":"Production","bundleId":"b","appAppleId":5,"#
                + #""signedTransactions":["x","y"]}"#
        ) {
            let page = try $0.transactionHistory(of: "2000", revision: "r+1")
            #expect(page.revision == "r2" && !page.hasMore)
            #expect(page.signedTransactions == ["x", "y"])
        },
        OperationCall(
            operation: .transactionInfo, request: "GET /inApps/v1/transactions/2000?a%20b=%C3%A4",
            answer: #"{"signedTransactionInfo":"x.y.z"}"#
        ) {
            let answer = try $0.perform(
                .transactionInfo, [("transactionId", "2000"), ("a b", "ä")], body: nil)
            #expect(answer.document?.member("signedTransactionInfo")?.string == "x.y.z")
        },
    ]
}
