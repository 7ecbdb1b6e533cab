internal import System

/// The same salt and unit give the same bucket on every machine, for ever; different salts give independent buckets.
public enum Bucketing {
    public static let bucketCount = 10_000
    /// The byte between salt and unit, so that no other pair of salt and unit gives the same bytes.
    static let separator: UInt8 = 0x1F

    public static func hash(salt: String, unit: String) -> UInt32 {
        var hash = MurmurHash3()
        hash.add(salt.utf8Span.span)
        hash.add(separator)
        hash.add(unit.utf8Span.span)
        return hash.value
    }

    public static func bucket(salt: String, unit: String) -> Int {
        bucket(ofHash: hash(salt: salt, unit: unit))
    }

    /// Returns the bucket of a hash: the hash divided by 2^32, times ``bucketCount``, rounded down.
    @inlinable
    public static func bucket(ofHash hash: UInt32) -> Int {
        Int((UInt64(hash) * UInt64(bucketCount)) >> 32)
    }
}

/// MurmurHash3 x86_32 by Austin Appleby (public domain, smhasher), of bytes that are added one by one.
struct MurmurHash3 {
    private var state: UInt32
    private var byteCount: UInt32 = 0
    /// The bytes that do not fill a 32-bit word yet; the first of them is the lowest.
    private var pending: UInt64 = 0
    private var pendingBits: UInt64 = 0

    init(seed: UInt32 = 0) {
        state = seed
    }

    mutating func add(_ byte: UInt8) {
        pending |= UInt64(byte) << pendingBits
        pendingBits += 8
        byteCount &+= 1
        if pendingBits == 32 { mixPending() }
    }

    mutating func add(_ bytes: Span<UInt8>) {
        for index in bytes.indices { add(bytes[index]) }
    }

    mutating func add(_ bytes: RawSpan, _ range: Range<Int>) {
        var offset = range.lowerBound
        while offset < range.upperBound, let byte = bytes.uint8(at: offset) {
            add(byte)
            offset += 1
        }
    }

    var value: UInt32 {
        var hash = state
        if pendingBits > 0 { hash ^= Self.scrambled(UInt32(truncatingIfNeeded: pending)) }
        hash ^= byteCount
        hash ^= hash >> 16
        hash &*= 0x85EB_CA6B
        hash ^= hash >> 13
        hash &*= 0xC2B2_AE35
        return hash ^ hash >> 16
    }

    private mutating func mixPending() {
        state ^= Self.scrambled(UInt32(truncatingIfNeeded: pending))
        state = state << 13 | state >> 19
        state = state &* 5 &+ 0xE654_6B64
        pending = 0
        pendingBits = 0
    }

    private static func scrambled(_ word: UInt32) -> UInt32 {
        var word = word &* 0xCC9E_2D51
        word = word << 15 | word >> 17
        return word &* 0x1B87_3593
    }
}
