/// How often a verifier's memories saved work. The counts only grow.
public struct VerifierCounts: Sendable, Hashable {
    /// Presented chains that were remembered as verified.
    public var chainCacheHits: UInt64 = 0
    /// Chains that had to be verified, with any result; hints included.
    public var chainCacheMisses: UInt64 = 0
    /// Chains refused because the memory had their refusal.
    public var chainFailureHits: UInt64 = 0

    public init() {}
}
