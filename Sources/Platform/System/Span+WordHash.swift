extension Span where Element == UInt8 {
    /// A fast hash for tables in files. It is the same on every machine. It gives no protection against someone who
    /// chooses the bytes.
    ///
    /// The hash starts as the length times K. For each word of eight bytes, little-endian, the hash is XORed with the
    /// word and multiplied by K to 128 bits, and the two halves are XORed: each bit of a word reaches the lowest bits
    /// of the hash. The last word is the last eight bytes, which may overlap the word before. Fewer than eight bytes in
    /// all are filled up with zeros. K is 0x9E3779B97F4A7C15, the golden ratio as a fraction of 2^64.
    @inlinable
    public var wordHash: UInt64 {
        // (`bytes` is unsafe in general because elements can have padding; a byte has none.)
        let raw = unsafe bytes
        var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        guard count >= 8 else { return Self.mixed(hash, shortWord) }
        var place = 0
        while count &- place > 8 {
            hash = Self.mixed(hash, raw.uint64(at: place) ?? 0)
            place &+= 8
        }
        return Self.mixed(hash, raw.uint64(at: count &- 8) ?? 0)
    }

    @inlinable
    static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
