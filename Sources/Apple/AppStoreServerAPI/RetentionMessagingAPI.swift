public import Vocabulary

/// How the client knows that an upload or a delete was done.
public enum ChangeOutcome: String, Sendable, Hashable {
    /// Apple's server answered with success.
    case confirmed
    /// The answer was lost. The list that the client asked for afterwards shows the change, or Apple's server refused
    /// a second attempt because the change had been made.
    case foundAfterwards
}

/// The 14 operations of Apple's Retention Messaging API for one app in one environment.
///
/// ``AppStoreServerClient`` performs them over the network. Tests and tools can use another implementation.
public protocol RetentionMessagingAPI {
    /// Upload Image: uploads a PNG under an identifier that the caller chooses.
    func uploadImage(_ png: [UInt8], as identifier: UUID, size: ImageSize) throws(AppStoreServerAPIError)
        -> ChangeOutcome

    /// Delete Image: deletes an image that no message names.
    func deleteImage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome

    /// Get Image List: returns all images of the app in this environment.
    func listImages() throws(AppStoreServerAPIError) -> [ListedImage]

    /// Upload Message: uploads a message under an identifier that the caller chooses.
    func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome

    /// Delete Message: deletes a message.
    func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome

    /// Get Message List: returns all messages of the app in this environment.
    func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage]

    /// Configure Default Message: sets or replaces the default message of a product in a locale.
    func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)

    /// Get Default Message: returns the default message of a product in a locale, or nil when no default message is set
    /// (Apple's code 4040020).
    func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID?

    /// Delete Default Message: removes the default message of a product in a locale. It is no error when none is set.
    func deleteDefaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError)

    /// Configure Realtime URL: sets or replaces the URL that Apple's server asks.
    func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError)

    /// Get Realtime URL: returns the URL that Apple's server asks, or nil when no URL is set (Apple's code 4040021).
    func realtimeURL() throws(AppStoreServerAPIError) -> String?

    /// Delete Realtime URL: Apple's server then sends no real-time requests in this environment.
    func deleteRealtimeURL() throws(AppStoreServerAPIError)

    /// Initiate Performance Test: starts a test of the Sandbox URL. Only Sandbox has this operation.
    func startPerformanceTest(
        originalTransactionId: String
    ) throws(AppStoreServerAPIError) -> PerformanceTestResponse

    /// Get Performance Test Results: returns the state and the numbers of a test. Only Sandbox has this operation.
    func performanceTestResult(
        requestId: String
    ) throws(AppStoreServerAPIError) -> PerformanceTestResultResponse
}
