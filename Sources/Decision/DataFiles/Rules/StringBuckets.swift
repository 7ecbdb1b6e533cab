internal import System

/// Where each string of a rules file is found by its hash (`stringBuckets`): an open table of a power of two, at least
/// twice as many buckets as strings, each with the number of a string or none. A string is in the bucket that the lowest
/// bits of its hash name, or in the first one behind it, around the end too, that no string before it took.
package struct StringBuckets {
    package private(set) var buckets: [ReferenceRecord]
    /// How many taken buckets were passed over so far.
    package private(set) var passedCount = 0

    /// Room for so many strings.
    package init(stringCount: Int) {
        var count = 2
        while count < 2 * stringCount { count *= 2 }
        buckets = Array(repeating: ReferenceRecord { $0.reference = .none }, count: count)
    }

    /// Enters the strings in the order of their numbers.
    package mutating func enter(_ number: Int, _ text: Span<UInt8>) {
        let mask = buckets.count - 1
        var place = Int(truncatingIfNeeded: text.wordHash) & mask
        while !buckets[place].reference.isNone {
            place = (place + 1) & mask
            passedCount += 1
        }
        buckets[place] = ReferenceRecord { $0.reference = EntryReference(UInt32(truncatingIfNeeded: number)) }
    }
}
