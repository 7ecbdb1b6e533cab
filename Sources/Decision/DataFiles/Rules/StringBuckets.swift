internal import System

/// The hash table of a rules file's strings (`stringBuckets`), with open addressing. The number of buckets is a power
/// of two, at least twice the number of strings. A bucket has the number of a string, or none. The lowest bits of a
/// string's hash name its bucket. If a string before it took that bucket, the string is in the first free one after it;
/// the first bucket follows the last.
package struct StringBuckets {
    package private(set) var buckets: [ReferenceRecord]
    /// How many occupied buckets the strings entered so far have passed over.
    package private(set) var passedCount = 0

    /// Makes an empty table for so many strings.
    package init(stringCount: Int) {
        var count = 2
        while count < 2 * stringCount { count *= 2 }
        buckets = Array(repeating: ReferenceRecord { $0.reference = .none }, count: count)
    }

    /// Enters one string. The caller enters the strings in the order of their numbers.
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
