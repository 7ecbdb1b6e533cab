package import AppStoreServerAPI

/// The configuration of a simulator: the team with its keys and apps, the numbers of the performance test, the speed of
/// its clock and the faults that it makes.
package struct SimulatorConfiguration {
    package struct App: Sendable, Hashable {
        package var bundleId: String
        package var appAppleId: Int64
        /// True when the account has access to the Retention Messaging API.
        package var hasAccess: Bool

        package init(bundleId: String, appAppleId: Int64, hasAccess: Bool = true) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
            self.hasAccess = hasAccess
        }
    }

    package var keys: TokenKeys
    package var apps: [App]
    /// The transactions that are not the original transaction of an active subscription.
    package var transactions: [String: TransactionKind] = [:]
    /// The identifiers for which the operations about transactions answer with an error, with that error.
    package var refusals: [String: AppStoreServerAPIErrorCode] = [:]
    package var subscriptions: [SimulatedSubscription] = []
    /// Signs notifications and transactions; nil for a simulator that has none.
    package var signer: SignedRequestBuilder?
    /// The hosts other than this machine to which notifications may be sent.
    package var allowedHosts: [String] = []
    package var performanceTest = PerformanceTestConfiguration()
    package var faults: [SimulatorFault] = []
    /// How many times faster than the real clock the clock of the rates runs, 1 to ``SimulatorLimits/speed``.
    package var speed: Int64 = 1 {
        didSet { speed = min(max(speed, 1), SimulatorLimits.speed) }
    }

    package init(keys: TokenKeys, apps: [App]) {
        self.keys = keys
        self.apps = apps
    }

    /// Returns the app with this bundle identifier. An app that the user has not named has the number 1.
    func app(_ bundleId: String) -> App {
        apps.first { $0.bundleId == bundleId } ?? App(bundleId: bundleId, appAppleId: 1)
    }
}

/// The kinds of transactions that Initiate Performance Test distinguishes.
package enum TransactionKind: String, Sendable, Hashable, CaseIterable {
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
