public import Vocabulary

/// The App Store server's request: Apple's DecodedRealtimeRequestBody. All members are required.
public struct RealtimeRequest: Sendable, Hashable {
    /// The subscriber's original transaction identifier. It is an opaque string; in practice it has only digits.
    public let originalTransactionId: String
    /// Apple's number of the app.
    public let appAppleId: Int64
    /// The product the subscriber is on.
    public let productId: String
    /// The locale of the subscriber's device, such as `en-US`; case-sensitive.
    public let userLocale: String
    /// The identifier of the request, unique for each request.
    public let requestIdentifier: UUID
    /// Sandbox or Production; LocalTesting for test traffic.
    public let environment: Environment
    /// When Apple signed the request, milliseconds since 1970.
    public let signedDate: Int64
}
