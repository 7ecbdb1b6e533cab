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
    /// The number of certificates in Apple's chains: leaf, intermediate and root.
    public static let chainLength = 3
    /// How far `signedDate` may be ahead of the server's clock, in milliseconds.
    public static let signedAheadMilliseconds: Int64 = 60_000
    /// The greatest `maxSignedAgeSeconds`: a thousand days. Multiplied by 1000 it stays far inside Int64.
    public static let signedAgeSeconds: Int64 = 86_400_000
    /// The longest string that is taken from a payload, in bytes, apart from the JWS in it and from the type and the UUID of
    /// a notification, without which it could not be stored. A string of this length still fits into a key of a database's
    /// index.
    public static let identifierByteCount = 512
    /// How many verified chains are remembered. Apple has one or two at a time.
    public static let verifiedChains = 32
    /// How many encoded headers are remembered.
    public static let headers = 8
    /// How many verified intermediates are remembered.
    public static let intermediates = 16
    /// How many refused chains are remembered, apart from the verified ones.
    public static let refusedChains = 256
    /// The shortest time between two notes that a chain is in use, in milliseconds.
    public static let useMilliseconds: Int64 = 60_000
    /// How many offsets of `signedDate` wait at most until somebody takes them.
    static let signedDateOffsets = 64
    /// How many certificates in use wait at most until somebody takes them.
    static let usedCertificates = 64
    /// How many chains a new worker gets as hints.
    public static let hints = 8
    /// How many turned-away chains are remembered. With 1,000 invented chains a second it takes 4 s until one is
    /// forgotten. They need 100 KB, and only while somebody attacks.
    public static let turnedAwayChains = 4096
}
