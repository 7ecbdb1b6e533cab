package import AppStoreServerAPI
package import System

/// The configuration of a simulator: the team with its keys and apps, the numbers of the performance test, the speed of
/// its clock and the faults that it makes.
package struct SimulatorConfiguration {
    package struct App: Sendable, Hashable {
        package var bundleId: String
        package var appAppleId: Int64
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

extension ReceiverURL {
    /// Returns true when the simulator may call the host: this machine, or one of the hosts that the user has allowed.
    package func isAllowed(by hosts: [String]) -> Bool {
        isLocal || hosts.contains { $0.lowercased() == host }
    }
}

/// The kinds of transactions that Initiate Performance Test distinguishes.
package enum TransactionKind: String, Sendable, Hashable, CaseIterable {
    case original
    case renewal
    case family
    case app
    case unknown
}

/// A subscription that the team sells, with its promotional offers, as the team has entered them in App Store Connect.
package struct SimulatedSubscription: Sendable, Hashable {
    /// A promotional offer, which lowers the price of some periods.
    package struct Offer: Sendable, Hashable {
        package let identifier: String
        /// What a period costs with the offer, in thousandths of a dollar.
        package let price: Int64
        package let periodCount: Int64

        package init?(identifier: String, price: Int64, periodCount: Int64) {
            guard Self.isIdentifier(identifier), SimulatedSubscription.prices.contains(price),
                Self.periodCounts.contains(periodCount)
            else { return nil }
            self.identifier = identifier
            self.price = price
            self.periodCount = periodCount
        }

        static func isIdentifier(_ text: String) -> Bool {
            (1...SimulatorLimits.productIdLength).contains(text.count)
        }

        /// The numbers of periods that an offer can have. Apple allows a year of months.
        static let periodCounts: ClosedRange<Int64> = 1...12
    }

    package let productId: String
    /// What a period costs, in thousandths of a dollar.
    package let price: Int64
    package let periodDays: Int64
    package var offers: [Offer] = []

    package init?(productId: String, price: Int64, periodDays: Int64 = 30) {
        guard Offer.isIdentifier(productId), Self.prices.contains(price),
            Self.durations.contains(periodDays)
        else { return nil }
        self.productId = productId
        self.price = price
        self.periodDays = periodDays
    }

    /// The prices that a period can have: a million dollars at most.
    static let prices: ClosedRange<Int64> = 0...1_000_000_000
    /// The durations that a period can have, in days.
    static let durations: ClosedRange<Int64> = 1...366
}

package enum SimulatorLimits {
    /// The greatest size of a PNG in bytes. Apple documents none; a public client of Apple's API stops at 20 MiB.
    package static let imageByteCount = 20 << 20
    /// The greatest size of a JSON body in bytes. The longest message has about 2,000 characters.
    package static let jsonByteCount = 64 << 10
    /// The deepest nesting of a JSON body. A message has three levels.
    static let jsonDepth = 8
    /// The greatest size of the token in bytes. A token of Apple's libraries has about 350.
    static let tokenByteCount = 4096
    /// The greatest factor by which the clock of the rates can be sped up: an hour passes in 36 ms.
    package static let speed: Int64 = 100_000
    /// The number of performance tests of an app that are kept. The oldest is forgotten.
    static let performanceTestCount = 1000
    /// The longest product identifier in characters, the limit of App Store Connect.
    static let productIdLength = 100
    /// The longest transaction identifier in digits. A 64-bit number has at most 20.
    static let transactionIdLength = 20
    static let eventCount = 500
    /// How long the token of the next page of a history is good, in milliseconds. Apple does not say how long its are.
    static let pageTokenMilliseconds: Int64 = 86_400_000
    /// The number of transactions and of notifications on one page of a history. Source: Apple.
    static let pageCount = 20
    /// The greatest size of a state file in bytes: 2,000 messages of several apps have some megabytes.
    package static let stateByteCount = 256 << 20
}
