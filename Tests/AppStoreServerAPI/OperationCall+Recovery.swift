import AppStoreServerAPI
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
            body:
                #"{"startDate":1,"endDate":2,"notificationType":"EXPIRED","notificationSubtype":"VOLUNTARY","#
                + #""transactionId":"3","onlyFailures":true}"#,
            answer: #"{"notificationHistory":[\#(sent)],"hasMore":true,"paginationToken":"next"}"#
        ) {
            var request = NotificationHistoryRequest(startDate: 1, endDate: 2)
            request.notificationType = "EXPIRED"
            request.notificationSubtype = "VOLUNTARY"
            request.transactionId = "3"
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
            operation: .subscriptionStatuses,
            request: "GET /inApps/v1/subscriptions/2000?status=1&status=4",
            answer: #"{"environment":"Sandbox","bundleId":"b","data":[{"subscriptionGroupIdentifier":"g","#
                + #""lastTransactions":[\#(last)]}]}"#
        ) {
            let statuses = try $0.subscriptionStatuses(of: "2000", statuses: [1, 4])
            #expect(statuses.bundleId == "b" && statuses.appAppleId == nil)
            #expect(statuses.groups.map(\.subscriptionGroupIdentifier) == ["g"])
            #expect(statuses.groups[0].lastTransactions[0].status == 7)
            #expect(statuses.groups[0].lastTransactions[0].signedRenewalInfo == "r")
        },
        OperationCall(
            operation: .transactionHistory,
            request:
                "GET /inApps/v2/history/2000?revision=r%2B1&startDate=1&endDate=2&productId=a&productId=b"
                + "&productType=AUTO_RENEWABLE&sort=DESCENDING&subscriptionGroupIdentifier=g"
                + "&inAppOwnershipType=PURCHASED&revoked=false",
            answer:
                #"{"revision":"r2","hasMore":false,"environment":"Production","bundleId":"b","appAppleId":5,"#
                + #""signedTransactions":["x","y"]}"#
        ) {
            var request = TransactionHistoryRequest()
            request.startDate = 1
            request.endDate = 2
            request.productIds = ["a", "b"]
            request.productTypes = ["AUTO_RENEWABLE"]
            request.sort = .descending
            request.subscriptionGroupIdentifiers = ["g"]
            request.inAppOwnershipType = "PURCHASED"
            request.revoked = false
            let page = try $0.transactionHistory(of: "2000", request, revision: "r+1")
            #expect(page.revision == "r2" && !page.hasMore && page.appAppleId == 5)
            #expect(page.signedTransactions == ["x", "y"])
        },
        OperationCall(
            operation: .transactionInfo, request: "GET /inApps/v1/transactions/2000",
            answer: #"{"signedTransactionInfo":"x.y.z"}"#
        ) {
            let jws = try $0.transactionInfo(of: "2000")
            #expect(jws == "x.y.z")
        },
    ]
}
