public import Cryptography
public import System

public struct AppIdentity: Sendable {
    public let appAppleId: Int64
    public let bundleId: String
    public let environments: Set<Environment>
    /// The only anchors that may vouch for this app; nil to use the anchors of the policy.
    public let anchors: [Certificate]?

    public init(
        appAppleId: Int64, bundleId: String, environments: Set<Environment>, anchors: [Certificate]? = nil
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environments = environments
        self.anchors = anchors
    }
}

/// How many unseen chains one verifier may verify, so that a flood of invented chains cannot take the processor from
/// real requests. It is a token bucket with a size and a refill rate.
public struct ChainBudget: Sendable, Hashable {
    public let burst: Int
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
    public static let unlimited = ChainBudget(burst: .max, perSecond: 0)
}

public struct VerificationPolicy: Sendable {
    public var anchors: [Certificate]
    public var apps: [AppIdentity]
    public var maxSignedAgeSeconds: Int64
    /// The longest JSON text of a body or of a payload, in bytes. A service that takes longer bodies raises it.
    public var jsonByteCount = SignedPayloadsLimits.jsonByteCount
    public var unseenChains: ChainBudget
    public var returningChains: ChainBudget

    public init(
        anchors: [Certificate], apps: [AppIdentity],
        maxSignedAgeSeconds: Int64 = 300, unseenChains: ChainBudget = .unseen,
        returningChains: ChainBudget = .returning
    ) {
        self.anchors = anchors
        self.apps = apps
        self.maxSignedAgeSeconds = maxSignedAgeSeconds
        self.unseenChains = unseenChains
        self.returningChains = returningChains
    }
}

/// The sizes beyond which the verifier refuses a payload, and the sizes of its memories. The size limits are far above
/// what Apple sends: a request of 4.9 KB with three certificates of 0.6 to 1.1 KB.
public enum SignedPayloadsLimits {
    /// The longest JSON text of a header, in bytes, and of a body or a payload unless ``VerificationPolicy/jsonByteCount``
    /// says otherwise. A notification with nested payloads has about 20 KB.
    public static let jsonByteCount = 512 * 1024
    /// The deepest nesting of that JSON, unless it is the payload of a notification or of a part of one.
    public static let jsonDepth = 16
    /// The deepest nesting of the payload of a notification or of a part of one. It is stored whatever Apple adds to it, so
    /// this only bounds the stack.
    public static let storedJSONDepth = 64
    /// The longest certificate, in bytes. An RSA 4096 root has 1.4 KB.
    public static let certificateByteCount = 8 * 1024
    public static let chainLength = 3
    /// How far `signedDate` may be ahead of the server's clock, in milliseconds.
    public static let signedAheadMilliseconds: Int64 = 60_000
    /// The greatest `maxSignedAgeSeconds`: a thousand days. Multiplied by 1000 it stays far inside Int64.
    public static let signedAgeSeconds: Int64 = 86_400_000
    /// The longest string that is taken from a payload, in bytes, apart from the JWS in it and from the type and the UUID of
    /// a notification, without which it could not be stored. A string of this length still fits into a key of a database's
    /// index.
    public static let identifierByteCount = 512
    public static let verifiedChains = 32
    public static let headers = 8
    public static let intermediates = 16
    public static let refusedChains = 256
    public static let hints = 8
    /// How many turned-away chains are remembered. With 1,000 invented chains a second it takes 4 s until one is
    /// forgotten. They need 100 KB, and only while somebody attacks.
    public static let turnedAwayChains = 4096
}
