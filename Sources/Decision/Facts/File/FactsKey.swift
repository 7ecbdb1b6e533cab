internal import System

/// The key of a row: an originalTransactionId as a number, 1 to 2^64 - 1, compared exactly.
public enum FactsKey {
    private static let digitCount = 20

    /// Reads a key in canonical decimal: digits only, no sign, no leading zero, 1 to 2^64 - 1. Returns nil for any
    /// other text, which no row has as its key.
    public static func parse(decimal text: Span<UInt8>) -> UInt64? {
        guard text.count > 0, text.count <= digitCount, text[0] != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        // Any number with fewer than 20 digits is below 2^64.
        let safeCount = min(text.count, digitCount - 1)
        for index in 0..<safeCount {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        guard safeCount < text.count else { return value }
        let digit = text[safeCount] &- UInt8(ascii: "0")
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
        return digit > 9 || overflows || carries ? nil : sum
    }

    public static func parse(decimal text: String) -> UInt64? {
        parse(decimal: text.utf8Span.span)
    }

    /// Returns the key mixed by the finalizer of SplitMix64 (Steele, Lea and Flood 2014), which spreads keys evenly
    /// over all 64-bit numbers. Two keys never give the same number, so the mixed key alone identifies the key.
    public static func mixed(_ key: UInt64) -> UInt64 {
        var value = key
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// Returns the bucket of a key, out of `bucketCount`. It is the high half of a product, so the buckets are in the
    /// order of the mixed keys, and no number of buckets is better than another.
    public static func bucket(of key: UInt64, among bucketCount: Int) -> Int {
        let product = mixed(key).multipliedFullWidth(by: UInt64(truncatingIfNeeded: bucketCount))
        return Int(truncatingIfNeeded: product.high)
    }
}
