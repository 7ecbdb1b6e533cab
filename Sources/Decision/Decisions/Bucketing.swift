/// Puts each subscriber (or another unit) into one of 10,000 buckets, from 0 to 9999. The same salt and unit give the
/// same bucket on every machine, for ever. Different salts give independent buckets.
public enum Bucketing {
    public static let bucketCount = 10_000
    /// The byte between salt and unit, so that no other pair of salt and unit gives the same bytes.
    static let separator: UInt8 = 0x1F

    /// Returns MurmurHash3 x86_32 with seed 0 over the UTF-8 of the salt, the byte 0x1F and the UTF-8 of the unit.
    public static func hash(salt: String, unit: String) -> UInt32 {
        var hash = MurmurHash3()
        hash.add(salt.utf8Span.span)
        hash.add(separator)
        hash.add(unit.utf8Span.span)
        return hash.value
    }

    /// Returns the bucket of a unit, 0 to 9999.
    public static func bucket(salt: String, unit: String) -> Int {
        bucket(ofHash: hash(salt: salt, unit: unit))
    }

    /// Returns the bucket of a hash: the hash divided by 2^32, times ``bucketCount``, rounded down.
    @inlinable
    public static func bucket(ofHash hash: UInt32) -> Int {
        Int((UInt64(hash) * UInt64(bucketCount)) >> 32)
    }
}
