public import Cryptography
public import Vocabulary

/// One app that the service answers for.
public struct AppIdentity: Sendable {
    /// Apple's number of the app, the payload's `appAppleId`.
    public let appAppleId: Int64
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environments in which the service answers for the app.
    public let environments: Set<Environment>
    /// The only anchors that may vouch for this app; nil to use the anchors of the policy.
    public let anchors: [Certificate]?

    /// Makes an identity from the app's number, bundle identifier, environments and anchors.
    public init(
        appAppleId: Int64, bundleId: String, environments: Set<Environment>, anchors: [Certificate]? = nil
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environments = environments
        self.anchors = anchors
    }
}

/// The time at which certificates must be valid.
public enum ValidityTime: String, Sendable, Hashable, CaseIterable {
    /// The time of the check.
    case now
    /// The payload's `signedDate`, which the signature covers.
    case signedDate
}

/// How many unseen chains one verifier may verify, so that a flood of invented chains cannot take the processor from
/// real requests. It is a token bucket with a size and a refill rate.
public struct ChainBudget: Sendable, Hashable {
    /// The number of chains that may be verified at once after a quiet time: the size of the bucket.
    public let burst: Int
    /// The number of chains a second that may be verified in the long run: the refill rate.
    public let perSecond: Int

    public init(burst: Int, perSecond: Int) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// The budget for chains that come for the first time. Each costs 0.9 ms of processor time, or 1.7 ms when its
    /// intermediate is not verified yet, so they take at most 2 % of a core. The burst is enough to learn the few chains
    /// that Apple uses at once. A new worker under attack spends its burst at once, and sound requests wait meanwhile: a
    /// burst of 64 took 60 to 120 ms.
    public static let unseen = ChainBudget(burst: 16, perSecond: 10)
    /// The budget for chains that come again after they were turned away, as Apple's new leaf certificate does. They take at
    /// most 4 % of a core, or 7 % when their intermediates are not verified yet, and only while somebody attacks with
    /// chains that come several times. The burst is enough for some leaf certificates that are new at the same time.
    public static let returning = ChainBudget(burst: 4, perSecond: 40)
    /// The budget for hints. The burst covers the chains known at a worker's start and as many new ones; Apple has one
    /// or two new chains a year.
    static let hinted = ChainBudget(burst: 2 * SignedPayloadsLimits.hints, perSecond: 1)
    /// No limit. For tools that check one payload.
    public static let unlimited = ChainBudget(burst: .max, perSecond: 0)
}

/// What the verifier accepts: which anchors may vouch, for which apps, and at what time.
public struct VerificationPolicy: Sendable {
    /// The anchors for apps that have no anchors of their own.
    public var anchors: [Certificate]
    /// The apps that the service answers for.
    public var apps: [AppIdentity]
    /// The time at which certificates must be valid.
    public var validityTime: ValidityTime
    /// The greatest accepted age of `signedDate` in seconds; 0 accepts any age.
    public var maxSignedAgeSeconds: Int64
    /// The longest JSON text of a body or of a payload, in bytes. A service that takes longer bodies raises it.
    public var jsonByteCount = SignedPayloadsLimits.jsonByteCount
    /// The budget for chains that come for the first time.
    public var unseenChains: ChainBudget
    /// The budget for chains that come again after ``unseenChains`` was spent.
    public var returningChains: ChainBudget

    /// Makes a policy. The default arguments are the service's defaults.
    public init(
        anchors: [Certificate], apps: [AppIdentity], validityTime: ValidityTime = .now,
        maxSignedAgeSeconds: Int64 = 300, unseenChains: ChainBudget = .unseen,
        returningChains: ChainBudget = .returning
    ) {
        self.anchors = anchors
        self.apps = apps
        self.validityTime = validityTime
        self.maxSignedAgeSeconds = maxSignedAgeSeconds
        self.unseenChains = unseenChains
        self.returningChains = returningChains
    }
}
