public import AppStoreServerAPI
public import AppStoreTraffic

/// The configuration of a simulator: the team with its keys and apps, the numbers of the performance test, the speed of
/// its clock and the faults that it makes.
public struct SimulatorConfiguration {
    /// One app of the team.
    public struct App: Sendable, Hashable {
        /// The bundle identifier, which the claim `bid` of a token names.
        public var bundleId: String
        /// Apple's number of the app.
        public var appAppleId: Int64
        /// True when the account has access to the Retention Messaging API.
        public var hasAccess: Bool

        public init(bundleId: String, appAppleId: Int64, hasAccess: Bool = true) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
            self.hasAccess = hasAccess
        }
    }

    /// The keys of the team.
    public var keys: TokenKeys
    public var apps: [App]
    /// The transactions that are not the original transaction of an active subscription.
    public var transactions: [String: TransactionKind] = [:]
    /// The identifiers for which the operations about transactions answer with an error, with that error.
    public var refusals: [String: AppStoreServerAPIErrorCode] = [:]
    /// The subscriptions that the team sells.
    public var subscriptions: [SimulatedSubscription] = []
    /// Signs notifications and transactions; nil for a simulator that has none.
    public var signer: SignedRequestBuilder?
    /// The hosts other than this machine to which notifications may be sent.
    public var allowedHosts: [String] = []
    public var performanceTest = PerformanceTestConfiguration()
    public var faults: [SimulatorFault] = []
    /// How many times faster than the real clock the clock of the rates runs, 1 to ``SimulatorLimits/speed``.
    public var speed: Int64 = 1 {
        didSet { speed = min(max(speed, 1), SimulatorLimits.speed) }
    }

    public init(keys: TokenKeys, apps: [App]) {
        self.keys = keys
        self.apps = apps
    }

    /// Returns the app with this bundle identifier; nil when the team has no such app.
    func app(_ bundleId: String) -> App? { apps.first { $0.bundleId == bundleId } }
}

/// The kinds of transactions that Initiate Performance Test distinguishes.
public enum TransactionKind: String, Sendable, Hashable, CaseIterable {
    /// The original transaction of an active subscription.
    case original
    /// A renewal, whose identifier is not that of the original transaction.
    case renewal
    /// A transaction that belongs to Family Sharing.
    case family
    /// An app transaction.
    case app
    /// A transaction that Apple's server does not know.
    case unknown
}
