/// The certificate chains that led to valid payloads lately, as opaque bytes, the latest first. They are hints for
/// workers: each worker verifies a chain itself before it trusts the chain.
struct ChainHints: Sendable, Hashable {
    private(set) var list: [[UInt8]] = []

    /// Takes the hints that were kept from an earlier run. Leaves out a hint that is too large, and the oldest hints
    /// beyond the limit.
    init(_ kept: [[UInt8]] = []) {
        for hint in kept.reversed() { _ = note(hint) }
    }

    /// Puts a chain at the front of the list. When the list is full, drops the chain that no worker has reported for
    /// the longest time.
    ///
    /// - Returns: true when the chain was not in the list before.
    mutating func note(_ chain: [UInt8]) -> Bool {
        guard !chain.isEmpty, chain.count <= PoolLimits.hintByteCount else { return false }
        let known = list.firstIndex(of: chain)
        if let known { list.remove(at: known) }
        list.insert(chain, at: 0)
        if list.count > PoolLimits.hintCount { list.removeLast() }
        return known == nil
    }
}
