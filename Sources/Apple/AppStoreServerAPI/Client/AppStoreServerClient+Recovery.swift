internal import Vocabulary

extension AppStoreServerClient: NotificationRecoveryAPI {
    /// Get Notification History: returns one page of the notifications that Apple has sent, or has tried to send.
    public func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse
    {
        try read(.notificationHistory(request, paginationToken), AnswerReading.notificationHistory)
    }

    /// Request a Test Notification: has Apple send a notification of the type TEST.
    ///
    /// - Throws: `app-store-server-api.outcome-unknown` when the answer was lost. Apple may send a notification then; its
    ///   status cannot be asked for.
    public func requestTestNotification() throws(AppStoreServerAPIError) -> String {
        try AppStoreServerAPIError.mapped(
            to: {
                $0.mayHaveBeenDone ? AppStoreServerAPIError.outcomeUnknown(.requestTestNotification, $0) : $0
            },
            try read(.requestTestNotification, AnswerReading.testNotificationToken)
        )
    }

    /// Get Test Notification Status: returns the test notification, or nil while Apple has nothing about it.
    public func testNotificationStatus(token: String) throws(AppStoreServerAPIError) -> SentNotification? {
        let call = try Self.valid(try APICall.testNotificationStatus(token))
        return try readUnless(.testNotificationNotFound, call, AnswerReading.sent)
    }

    /// Get All Subscription Statuses: returns the subscriptions of the customer to whom a transaction belongs.
    public func subscriptionStatuses(of anyTransactionId: String, statuses: [Int])
        throws(AppStoreServerAPIError) -> SubscriptionStatusesResponse
    {
        let call = try Self.valid(try APICall.subscriptionStatuses(anyTransactionId, statuses))
        return try read(call, AnswerReading.subscriptionStatuses)
    }

    /// Get Transaction History: returns one page of the transactions of the customer to whom a transaction belongs.
    public func transactionHistory(
        of anyTransactionId: String, _ request: TransactionHistoryRequest, revision: String?
    ) throws(AppStoreServerAPIError) -> TransactionHistoryResponse {
        let call = try Self.valid(try APICall.transactionHistory(anyTransactionId, request, revision))
        return try read(call, AnswerReading.transactionHistory)
    }

    /// Get Transaction Info: returns the JWS of a transaction.
    public func transactionInfo(of transactionId: String) throws(AppStoreServerAPIError) -> String {
        let call = try Self.valid(try APICall.transactionInfo(transactionId))
        return try read(call, AnswerReading.transactionInfo)
    }
}
