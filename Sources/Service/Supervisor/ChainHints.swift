/// The chains that vouched for payloads lately, as opaque bytes, the latest first: hints for workers, never trust.
struct ChainHints: Sendable, Hashable {
    private(set) var list: [[UInt8]] = []

    /// Hints of an earlier life; what is too large or too many is left out.
    init(_ kept: [[UInt8]] = []) {
        for hint in kept.reversed() { _ = note(hint) }
    }

    /// Puts a chain first; the one unheard of longest leaves.
    ///
    /// - Returns: whether it was not there before.
    mutating func note(_ chain: [UInt8]) -> Bool {
        guard !chain.isEmpty, chain.count <= PoolLimits.hintByteCount else { return false }
        let known = list.firstIndex(of: chain)
        if let known { list.remove(at: known) }
        list.insert(chain, at: 0)
        if list.count > PoolLimits.hintCount { list.removeLast() }
        return known == nil
    }
}
