public import Vocabulary

/// What the App Store server asks: Apple's DecodedRealtimeRequestBody. All members are required.
public struct RealtimeRequest: Sendable, Hashable {
    /// The subscriber's original transaction identifier; an opaque string, digits in practice.
    public let originalTransactionId: String
    /// Apple's number of the app.
    public let appAppleId: Int64
    /// The product the subscriber is on.
    public let productId: String
    /// The device's locale, `en-US`; case-sensitive.
    public let userLocale: String
    /// Unique for each request.
    public let requestIdentifier: UUID
    /// Sandbox or Production; for test traffic LocalTesting.
    public let environment: Environment
    /// When Apple signed, milliseconds since 1970.
    public let signedDate: Int64
}
