/// Who is in a share of the subscribers: a bucket from 0 to 9999 for each unit, the same on every machine and for
/// ever (rules.md section 2). Different salts give buckets that have nothing to do with each other.
public enum Bucketing {
    /// The number of buckets.
    public static let bucketCount = 10_000
    /// Stands between salt and unit, so that no other pair gives the same bytes.
    static let separator: UInt8 = 0x1F

    /// MurmurHash3 x86_32 with seed 0 over the UTF-8 of the salt, a byte 0x1F and the UTF-8 of the unit.
    public static func hash(salt: String, unit: String) -> UInt32 {
        var hash = MurmurHash3()
        hash.add(salt.utf8Span.span)
        hash.add(separator)
        hash.add(unit.utf8Span.span)
        return hash.value
    }

    /// The bucket of a unit.
    public static func bucket(salt: String, unit: String) -> Int {
        bucket(ofHash: hash(salt: salt, unit: unit))
    }

    /// The bucket of a hash: its share of all there are.
    @inlinable
    public static func bucket(ofHash hash: UInt32) -> Int {
        Int((UInt64(hash) * UInt64(bucketCount)) >> 32)
    }
}
