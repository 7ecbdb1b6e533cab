/// How often a verifier's memories saved work. The counts only grow.
public struct VerifierCounts: Sendable, Hashable {
    /// Payloads whose encoded header was known, so that the verifier did not look up a chain.
    public var headerMemoHits: UInt64 = 0
    /// Presented chains that were remembered as verified.
    public var chainCacheHits: UInt64 = 0
    /// Chains that had to be verified, with any result; hints included.
    public var chainCacheMisses: UInt64 = 0
    /// Chains refused because the memory had their refusal.
    public var chainFailureHits: UInt64 = 0

    /// Makes counts of zero.
    public init() {}
}
