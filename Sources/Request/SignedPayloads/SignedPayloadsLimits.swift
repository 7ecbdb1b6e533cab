/// Sizes beyond which a payload is not looked at. All are far above what Apple sends: a request of 4.9 KB with three
/// certificates of 0.6 to 1.1 KB.
public enum SignedPayloadsLimits {
    /// The greatest JSON text of a header or payload, in bytes; a notification with nested payloads has about 20 KB.
    public static let jsonByteCount = 512 * 1024
    /// The greatest nesting of a header or payload.
    public static let jsonDepth = 16
    /// The greatest certificate, in bytes: an RSA 4096 root has 1.4 KB.
    public static let certificateByteCount = 8 * 1024
    /// Leaf, intermediate and root: what Apple's chains consist of.
    public static let chainLength = 3
    /// How far `signedDate` may be ahead of our clock, in milliseconds.
    public static let signedAheadMilliseconds: Int64 = 60_000
    /// The greatest `maxSignedAgeSeconds`, a thousand days: products with 1000 stay far inside Int64.
    public static let signedAgeSeconds: Int64 = 86_400_000
    /// The greatest length of `originalTransactionId`, `productId` and `userLocale`, in bytes.
    public static let identifierByteCount = 512
    /// Verified chains that are remembered: Apple has one or two at a time.
    public static let verifiedChains = 32
    /// Encoded headers that are remembered.
    public static let headers = 8
    /// Verified intermediates that are remembered.
    public static let intermediates = 16
    /// Refused chains that are remembered, apart from the verified ones.
    public static let refusedChains = 256
    /// Chains handed to new workers as hints.
    public static let hints = 8
    /// Chains whose being turned away is counted, for each class: 2 s of 1,000 invented ones a second go by before one
    /// that came once is forgotten. 32 KB.
    public static let turnedAwayChains = 2048
    /// Places among which a chain is looked for.
    public static let turnedAwayWays = 8
    /// A chain that came twice keeps its place for so long against those that came once.
    static let turnedAwayHeldMilliseconds: UInt32 = 2_000
    /// After so long counting begins anew.
    static let turnedAwayForgottenMilliseconds: UInt32 = 10_000
    /// Budgets for chains that come again: for the 2nd, 4th, 8th, 16th, 32nd and each 64th time. To block the last one an
    /// attacker has to send 64 requests for each chain.
    public static let returningRungs = 6
}
