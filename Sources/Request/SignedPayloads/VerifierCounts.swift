/// How often a verifier's memories helped; only grows.
public struct VerifierCounts: Sendable, Hashable {
    /// Headers found in the memo of verified headers, so that no chain had to be looked up.
    public var headerMemoHits: UInt64 = 0
    /// Chains found verified.
    public var chainCacheHits: UInt64 = 0
    /// Chains that had to be verified, whatever came of it; hints among them.
    public var chainCacheMisses: UInt64 = 0
    /// Chains refused because they had been refused before.
    public var chainFailureHits: UInt64 = 0

    /// Nothing yet.
    public init() {}
}
