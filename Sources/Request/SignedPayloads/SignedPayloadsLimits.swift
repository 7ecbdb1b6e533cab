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
}
