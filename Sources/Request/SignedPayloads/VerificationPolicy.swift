public import Cryptography
public import Vocabulary

/// One app that may be answered for.
public struct AppIdentity: Sendable {
    /// Apple's number of the app, `appAppleId`.
    public let appAppleId: Int64
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environments in which it is served.
    public let environments: Set<Environment>
    /// Anchors that alone may vouch for this app; nil for those of the policy.
    public let anchors: [Certificate]?

    /// Names the app.
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

/// How much work for chains that were not seen before one verifier may do, so that a flood of invented chains cannot
/// take the processor from real requests. A bucket of tokens: so many at once, refilled at so many a second.
public struct ChainBudget: Sendable, Hashable {
    /// Chains that may be checked at once after a quiet time.
    public let burst: Int
    /// Chains a second that may be checked for ever.
    public let perSecond: Int

    /// Sets both.
    public init(burst: Int, perSecond: Int) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// Chains of which nothing is known, 1.7 ms of processor time each: at most 2 % of a core, and enough for the few
    /// chains that Apple uses to be learnt at once.
    public static let unseen = ChainBudget(burst: 16, perSecond: 10)
    /// Chains whose intermediate is already verified, 0.9 ms each: at most 1 % of a core. A new worker that is attacked
    /// spends its burst at once, and sound requests wait behind it: 64 were 60 to 120 ms.
    public static let knownIntermediate = ChainBudget(burst: 12, perSecond: 10)
    /// Chains that were turned away and come again, of which nothing is known, for each rung of ``ChainAdmission``: with
    /// six rungs at most 31 ms of a second, only while somebody attacks all of them. The burst is what two leaf
    /// certificates need that are new at the same time.
    public static let returningUnseen = ChainBudget(burst: 2, perSecond: 3)
    /// The same with a verified intermediate, for each rung: Apple's rotated leaf certificate comes so. Whoever sends
    /// 1,000 requests a second to a worker, each chain k times, brings 1,000 / k chains a second; they have one chance in
    /// as many at each rung as this has tokens for them. At 15 the genuine chain wins half of the time within one and a half
    /// seconds, whatever k is. It costs at most 68 ms of a second, with k of about 32; with k of 1 it costs nothing.
    public static let returning = ChainBudget(burst: 4, perSecond: 15)
    /// Chains that other workers vouch for: those known at the start, and so many new ones; there are one or two a year.
    static let hinted = ChainBudget(burst: 2 * SignedPayloadsLimits.hints, perSecond: 1)
    /// No limit, for tools that check one payload.
    public static let unlimited = ChainBudget(burst: .max, perSecond: 0)
}

/// What is accepted: who may vouch, for whom, and when.
public struct VerificationPolicy: Sendable {
    /// The anchors for apps that name none of their own.
    public var anchors: [Certificate]
    /// The apps that are served.
    public var apps: [AppIdentity]
    /// The time at which certificates must be valid.
    public var validityTime: ValidityTime
    /// The greatest accepted age of `signedDate` in seconds; 0 accepts any age.
    public var maxSignedAgeSeconds: Int64
    /// The budget for chains of which nothing is known.
    public var unseenChains: ChainBudget
    /// The budget for chains with a verified intermediate.
    public var knownIntermediates: ChainBudget
    /// What chains may draw on that came often when the first of these budgets was spent.
    public var returningUnseenChains: ChainBudget
    /// What chains may draw on that came often when the second was spent.
    public var returningChains: ChainBudget

    /// A policy with the service's defaults.
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
