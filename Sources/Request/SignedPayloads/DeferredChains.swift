internal import Cryptography

/// Counts how often each unseen chain was turned away lately, in a table of fixed size.
///
/// A flood presents each invented chain once, but a genuine chain comes again and again. So the table keeps chains that
/// came twice: a new chain takes the place of the oldest chain that came only once or has not come for a while. The
/// places that a chain may take depend on a secret random number, so an attacker cannot aim at a place.
struct DeferredChains {
    private struct Entry {
        var key: UInt64 = 0
        var count: UInt32 = 0
        /// The low 32 bits of a time in milliseconds. Only ages are computed from it, as differences; they are right
        /// for 49 days.
        var seen: UInt32 = 0
    }

    private var entries: [Entry]
    private let seed: UInt64

    /// Makes an empty table. `seed` is the secret number that chooses the places.
    init(seed: UInt64) {
        entries = [Entry](repeating: Entry(), count: SignedPayloadsLimits.turnedAwayChains)
        self.seed = seed
    }

    /// Counts that the chain with this digest was turned away once more.
    ///
    /// - Returns: how often the chain was turned away lately, this time included.
    mutating func note(_ digest: SHA256Digest, nowMilliseconds: Int64) -> Int {
        let now = UInt32(truncatingIfNeeded: nowMilliseconds)
        let key = Self.key(of: digest)
        let places = places(of: key)
        var chosen = places.lowerBound
        var chosenRank: (Int, UInt32) = (-1, 0)
        for index in places {
            let entry = entries[index]
            let age = now &- entry.seen
            if entry.count > 0, entry.key == key {
                let isForgotten = age > SignedPayloadsLimits.turnedAwayForgottenMilliseconds
                let count = isForgotten ? 1 : entry.count == .max ? .max : entry.count + 1
                entries[index] = Entry(key: key, count: count, seen: now)
                return Int(count)
            }
            let isHeld = entry.count > 1 && age <= SignedPayloadsLimits.turnedAwayHeldMilliseconds
            let rank = (entry.count == 0 ? 2 : isHeld ? 0 : 1, age)
            if rank > chosenRank { (chosen, chosenRank) = (index, rank) }
        }
        entries[chosen] = Entry(key: key, count: 1, seen: now)
        return 1
    }

    /// Forgets a chain, because it is verified now.
    mutating func forget(_ digest: SHA256Digest) {
        let key = Self.key(of: digest)
        for index in places(of: key) where entries[index].key == key { entries[index] = Entry() }
    }

    private func places(of key: UInt64) -> Range<Int> {
        let ways = SignedPayloadsLimits.turnedAwayWays
        let mixed = (key ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        let set = Int((mixed.high ^ mixed.low) % UInt64(entries.count / ways))
        return set * ways..<(set + 1) * ways
    }

    /// Returns the first eight bytes of a digest, which are as good as random.
    private static func key(of digest: SHA256Digest) -> UInt64 { digest.leadingWord }
}
