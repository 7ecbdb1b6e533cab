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
        appAppleId: Int64,
        bundleId: String,
        environments: Set<Environment>,
        anchors: [Certificate]? = nil
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

    /// Makes a budget of a bucket size and a refill rate.
    public init(burst: Int, perSecond: Int) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// The budget for chains of which nothing is known. Each costs 1.7 ms of processor time, so they take at most 2 %
    /// of a core. The burst is enough to learn the few chains that Apple uses at once.
    public static let unseen = ChainBudget(burst: 16, perSecond: 10)
    /// The budget for chains whose intermediate is already verified. Each costs 0.9 ms, so they take at most 1 % of a
    /// core. A new worker under attack spends its burst at once, and sound requests wait meanwhile: a burst of 64 took
    /// 60 to 120 ms.
    public static let knownIntermediate = ChainBudget(burst: 12, perSecond: 10)
    /// The budget of each rung of ``ChainAdmission``, for chains of which nothing is known and that come again after
    /// they were turned away. Six rungs take at most 31 ms of a second, and only while somebody attacks all of them.
    /// The burst is enough for two leaf certificates that are new at the same time.
    public static let returningUnseen = ChainBudget(burst: 2, perSecond: 3)
    /// The budget of each rung for chains that come again and have a verified intermediate. Apple's rotated leaf
    /// certificate comes this way. An attacker who sends 1,000 requests a second to a worker, each chain k times,
    /// brings 1,000 / k chains a second, and at each rung these chains compete for the tokens of this budget. With 15
    /// tokens a second the genuine chain wins half of the time within one and a half seconds, whatever k is. The rungs
    /// cost at most 68 ms of a second, with k of about 32; with k of 1 they cost nothing.
    public static let returning = ChainBudget(burst: 4, perSecond: 15)
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
    /// Whether a leaf's key that has signed many payloads gets a table (``ES256Verifier/makeTable(after:)``).
    public var makesKeyTables = false
    /// The budget for chains of which nothing is known.
    public var unseenChains: ChainBudget
    /// The budget for chains with a verified intermediate.
    public var knownIntermediates: ChainBudget
    /// The budget of each rung for chains that come again after ``unseenChains`` was spent.
    public var returningUnseenChains: ChainBudget
    /// The budget of each rung for chains that come again after ``knownIntermediates`` was spent.
    public var returningChains: ChainBudget

    /// Makes a policy. The default arguments are the service's defaults.
    public init(
        anchors: [Certificate],
        apps: [AppIdentity],
        validityTime: ValidityTime = .now,
        maxSignedAgeSeconds: Int64 = 300,
        unseenChains: ChainBudget = .unseen,
        knownIntermediates: ChainBudget = .knownIntermediate,
        returningUnseenChains: ChainBudget = .returningUnseen,
        returningChains: ChainBudget = .returning
    ) {
        self.anchors = anchors
        self.apps = apps
        self.validityTime = validityTime
        self.maxSignedAgeSeconds = maxSignedAgeSeconds
        self.unseenChains = unseenChains
        self.knownIntermediates = knownIntermediates
        self.returningUnseenChains = returningUnseenChains
        self.returningChains = returningChains
    }
}
