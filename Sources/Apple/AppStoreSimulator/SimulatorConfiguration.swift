package import AppStoreServerAPI
package import System

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
    package var transactions: [String: TransactionKind] = [:]
    package var refusals: [String: AppStoreServerAPIErrorCode] = [:]
    package var subscriptions: [SimulatedSubscription] = []
    package var signer: SignedRequestBuilder?
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
    package func isAllowed(by hosts: [String]) -> Bool {
        isLocal || hosts.contains { $0.lowercased() == host }
    }
}

package enum TransactionKind: String, Sendable, Hashable, CaseIterable {
    case original
    case renewal
    case family
    case app
    case unknown
}

package struct SimulatedSubscription: Sendable, Hashable {
    package struct Offer: Sendable, Hashable {
        package let identifier: String
        package let price: Int64
        package let periodCount: Int64

        package init?(identifier: String, price: Int64, periodCount: Int64) {
            // Apple allows a year of months.
            guard Self.isIdentifier(identifier), SimulatedSubscription.prices.contains(price),
                (1...12).contains(periodCount)
            else { return nil }
            self.identifier = identifier
            self.price = price
            self.periodCount = periodCount
        }

        static func isIdentifier(_ text: String) -> Bool {
            (1...SimulatorLimits.productIdLength).contains(text.count)
        }
    }

    package let productId: String
    package let price: Int64
    package let periodDays: Int64
    package var offers: [Offer] = []

    package init?(productId: String, price: Int64, periodDays: Int64 = 30) {
        guard Offer.isIdentifier(productId), Self.prices.contains(price),
            (1...366).contains(periodDays)
        else { return nil }
        self.productId = productId
        self.price = price
        self.periodDays = periodDays
    }

    static let prices: ClosedRange<Int64> = 0...1_000_000_000
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
    static let productIdLength = 100
    static let eventCount = 500
    /// How long the token of the next page of a history is good, in milliseconds. Apple does not say how long its are.
    static let pageTokenMilliseconds: Int64 = 86_400_000
    /// The number of transactions and of notifications on one page of a history. Source: Apple.
    static let pageCount = 20
    /// The greatest size of a state file in bytes: 2,000 messages of several apps have some megabytes.
    package static let stateByteCount = 256 << 20
}
