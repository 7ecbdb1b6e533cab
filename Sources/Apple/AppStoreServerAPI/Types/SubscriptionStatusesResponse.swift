/// The answer of Get All Subscription Statuses.
///
/// Source: Apple, StatusResponse.
public struct SubscriptionStatusesResponse: Sendable, Hashable {
    /// `Production` or `Sandbox`, as Apple spells it.
    public let environment: String
    /// The bundle identifier of the app.
    public let bundleId: String
    /// Apple's number of the app. Apple does not send it in Sandbox.
    public let appAppleId: Int64?
    public let groups: [Group]

    public init(environment: String, bundleId: String, appAppleId: Int64?, groups: [Group]) {
        self.environment = environment
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.groups = groups
    }

    /// The subscriptions of one group.
    ///
    /// Source: Apple, SubscriptionGroupIdentifierItem.
    public struct Group: Sendable, Hashable {
        /// The number of the group in App Store Connect.
        public let subscriptionGroupIdentifier: String
        public let lastTransactions: [LastTransaction]

        public init(subscriptionGroupIdentifier: String, lastTransactions: [LastTransaction]) {
            self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
            self.lastTransactions = lastTransactions
        }
    }

    /// The present state of one subscription.
    ///
    /// Source: Apple, LastTransactionsItem.
    public struct LastTransaction: Sendable, Hashable {
        /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; other numbers are kept.
        public let status: Int64
        /// The identifier of the subscription's first transaction.
        public let originalTransactionId: String
        /// The JWS of the last transaction.
        public let signedTransactionInfo: String
        /// The JWS of the renewal info.
        public let signedRenewalInfo: String

        public init(
            status: Int64, originalTransactionId: String, signedTransactionInfo: String,
            signedRenewalInfo: String
        ) {
            self.status = status
            self.originalTransactionId = originalTransactionId
            self.signedTransactionInfo = signedTransactionInfo
            self.signedRenewalInfo = signedRenewalInfo
        }
    }
}
