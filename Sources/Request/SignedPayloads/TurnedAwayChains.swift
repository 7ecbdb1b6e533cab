internal import Cryptography

/// How often each of the chains that nobody has seen was turned away lately, in a table of fixed size.
///
/// Whoever floods us with chains presents each of them once, and a genuine one comes again and again. So the table holds
/// fast to what came twice: a newcomer takes the place of the oldest chain that came once or has not come for a while.
/// Which places a chain may take depends on a number that nobody outside knows, so that none can be aimed at.
struct TurnedAwayChains {
    private struct Entry {
        var key: UInt64 = 0
        var count: UInt32 = 0
        /// The low bits of a time in milliseconds: ages are differences, right for 49 days.
        var seen: UInt32 = 0
    }

    private var entries: [Entry]
    private let seed: UInt64

    /// An empty table; `seed` chooses the places.
    init(seed: UInt64) {
        entries = [Entry](repeating: Entry(), count: SignedPayloadsLimits.turnedAwayChains)
        self.seed = seed
    }

    /// Counts one more time that the chain with this digest was turned away.
    ///
    /// - Returns: how often that happened, this time included.
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

    /// Forgets a chain that is verified now.
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

    /// Eight bytes of a digest are as good as random.
    private static func key(of digest: SHA256Digest) -> UInt64 { digest.leadingWord }
}
