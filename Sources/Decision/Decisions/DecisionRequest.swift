public import Vocabulary

/// The request that a decision is about: which subscriber, of which product, in which locale, at what time.
public struct DecisionRequest: Sendable, Hashable {
    /// Apple's number of the app.
    public var appAppleId: Int64
    public var environment: Environment
    /// The product the subscriber is on.
    public var productId: String
    /// The locale of the subscriber's device, case-sensitive.
    public var userLocale: String
    /// The subscriber's original transaction identifier.
    public var originalTransactionId: String
    /// The time on the server's clock, milliseconds since 1970.
    public var nowMilliseconds: Int64
    /// What the service can sign for this request.
    public var signing: SigningCapabilities

    /// Makes a request. The strings are shared, not copied.
    public init(
        appAppleId: Int64, environment: Environment, productId: String, userLocale: String,
        originalTransactionId: String, nowMilliseconds: Int64, signing: SigningCapabilities = []
    ) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.productId = productId
        self.userLocale = userLocale
        self.originalTransactionId = originalTransactionId
        self.nowMilliseconds = nowMilliseconds
        self.signing = signing
    }
}
