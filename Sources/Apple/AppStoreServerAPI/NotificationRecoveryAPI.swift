/// The operations of Apple's App Store Server API that tell about notifications, subscriptions and transactions of one app
/// in one environment. All of them but ``requestTestNotification()`` only read.
///
/// ``AppStoreServerClient`` performs them over the network. Tests and tools can use another implementation. Nothing here
/// verifies a signature: the callers do.
public protocol NotificationRecoveryAPI {
    /// Get Notification History: reads one page of the notifications that Apple has sent, or has tried to send.
    ///
    /// - Parameters:
    ///   - request: the range of time and the filters, which must be the same for each page.
    ///   - paginationToken: the token of the page before; nil for the first page.
    /// - Returns: the page.
    /// - Throws: ``AppStoreServerAPIError``.
    func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse

    /// Request a Test Notification: has Apple send a notification of the type TEST. Returns its token.
    func requestTestNotification() throws(AppStoreServerAPIError) -> String

    /// Get Test Notification Status: returns the test notification with the attempts to send it, or nil while Apple has
    /// nothing about it (Apple's code 4040008, which an expired token has too).
    func testNotificationStatus(token: String) throws(AppStoreServerAPIError) -> SentNotification?

    /// Get All Subscription Statuses: returns the subscriptions of the customer to whom a transaction belongs.
    ///
    /// - Parameters:
    ///   - anyTransactionId: the identifier of a transaction, an original transaction or an app transaction.
    ///   - statuses: the statuses to return, 1 to 5; empty for all.
    /// - Returns: the subscriptions by their groups.
    /// - Throws: ``AppStoreServerAPIError``.
    func subscriptionStatuses(of anyTransactionId: String, statuses: [Int]) throws(AppStoreServerAPIError)
        -> SubscriptionStatusesResponse

    /// Get Transaction History: returns one page of the transactions of the customer to whom a transaction belongs.
    ///
    /// - Parameters:
    ///   - anyTransactionId: the identifier of a transaction, an original transaction or an app transaction.
    ///   - request: the filters, which must be the same for each page.
    ///   - revision: the revision of the page before; nil for the first page.
    /// - Returns: the page.
    /// - Throws: ``AppStoreServerAPIError``.
    func transactionHistory(
        of anyTransactionId: String, _ request: TransactionHistoryRequest, revision: String?
    ) throws(AppStoreServerAPIError) -> TransactionHistoryResponse

    /// Get Transaction Info: returns the JWS of a transaction.
    func transactionInfo(of transactionId: String) throws(AppStoreServerAPIError) -> String
}
