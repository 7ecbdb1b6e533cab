/// The download of an app, as Apple signed it: the members of AppTransaction that reports need.
///
/// Every member is optional, and every value is kept as Apple wrote it, as in ``Transaction``. Dates are milliseconds
/// since 1970.
///
/// Source: Apple, AppTransaction (StoreKit) and JWSAppTransactionDecodedPayload (App Store Server API).
public struct AppTransaction: Sendable, Hashable {
    /// `appTransactionId`: the identifier of the download.
    public var appTransactionId: String?
    /// `bundleId`: the bundle identifier of the app.
    public var bundleId: String?
    /// `appAppleId`: Apple's number of the app.
    public var appAppleId: Int64?
    /// `receiptType`: the environment, `Production`, `Sandbox` or another word.
    public var receiptType: String?
    /// `receiptCreationDate`: when Apple signed this copy.
    public var receiptCreationDate: Int64?
    /// `applicationVersion`: the version of the app.
    public var applicationVersion: String?
    /// `originalApplicationVersion`: the version that the customer bought first.
    public var originalApplicationVersion: String?
    /// `originalPurchaseDate`: when the customer bought the app first.
    public var originalPurchaseDate: Int64?
    /// `preorderDate`: when the customer ordered the app in advance.
    public var preorderDate: Int64?
    /// `originalPlatform`: the platform of the first purchase, such as `iOS`.
    public var originalPlatform: String?

    /// The names of the members whose values have the wrong type or are outside their range. Their properties are nil.
    public var unusableMembers: [String] = []
}
