public import Vocabulary

/// What a decision is made about: who asks for which product in which language, and when.
public struct DecisionRequest: Sendable, Hashable {
    /// The app, Apple's number.
    public var appAppleId: Int64
    /// The environment.
    public var environment: Environment
    /// The product the subscriber is on.
    public var productId: String
    /// The locale of the subscriber's device, case-sensitive.
    public var userLocale: String
    /// The subscriber.
    public var originalTransactionId: String
    /// The server's clock, milliseconds since 1970.
    public var nowMilliseconds: Int64
    /// What can be signed.
    public var signing: SigningCapabilities

    /// Makes a request. Nothing is copied: strings are shared.
    public init(
        appAppleId: Int64,
        environment: Environment,
        productId: String,
        userLocale: String,
        originalTransactionId: String,
        nowMilliseconds: Int64,
        signing: SigningCapabilities = []
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
