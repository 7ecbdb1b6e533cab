package import System

/// How the client knows that an upload or a delete was done.
package enum ChangeOutcome: String, Sendable, Hashable {
    case confirmed
    /// The answer was lost. The list that the client asked for afterwards shows the change, or Apple's server refused
    /// a second attempt because the change had been made.
    case foundAfterwards
}

/// The operations of Apple's Retention Messaging API that a catalogue needs, for one app in one environment.
///
/// ``AppStoreServerClient`` performs them over the network. Tests and tools can use another implementation.
package protocol RetentionMessagingAPI {
    func uploadImage(_ png: [UInt8], as identifier: UUID, size: ImageSize) throws(AppStoreServerAPIError)
        -> ChangeOutcome

    func deleteImage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome

    func listImages() throws(AppStoreServerAPIError) -> [ListedImage]

    func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome

    func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome

    func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage]

    func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)

    /// Get Default Message: returns the default message of a product in a locale, or nil when no default message is set
    /// (Apple's code 4040020).
    func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID?

    func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError)

    /// Get Realtime URL: returns the URL that Apple's server asks, or nil when no URL is set (Apple's code 4040021).
    func realtimeURL() throws(AppStoreServerAPIError) -> String?
}

/// The operations of Apple's App Store Server API that tell about notifications and subscriptions of one app in one
/// environment. They only read. Nothing here verifies a signature: the callers do.
package protocol NotificationRecoveryAPI {
    /// Get Notification History: reads one page of the notifications that Apple has sent, or has tried to send.
    ///
    /// - Parameters:
    ///   - request: the range of time, which must be the same for each page.
    ///   - paginationToken: the token of the page before; nil for the first page.
    /// - Returns: the page.
    /// - Throws: ``AppStoreServerAPIError``.
    func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse

    /// Get All Subscription Statuses: returns the subscriptions of the customer to whom a transaction belongs.
    func subscriptionStatuses(of anyTransactionId: String) throws(AppStoreServerAPIError)
        -> SubscriptionStatusesResponse

    /// Get Transaction History: returns one page of the transactions of the customer to whom a transaction belongs.
    func transactionHistory(of anyTransactionId: String, revision: String?) throws(AppStoreServerAPIError)
        -> TransactionHistoryResponse
}
