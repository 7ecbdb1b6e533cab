/// Counts latencies in buckets, so that memory does not grow with their number.
///
/// Up to 2,047 nanoseconds each bucket holds one value. Above, each power of two has 1,024 buckets, so that a percentile is
/// at most a thousandth too small. The largest latency is exact.
public struct LoadHistogram: Sendable {
    /// The number of buckets for each power of two.
    private static let bucketsPerOctave = 1024
    /// The largest latency with a bucket of its own, about 18 minutes; longer latencies share the last bucket.
    private static let longest: UInt64 = (1 << 40) - 1

    private var buckets: [Int]
    /// The number of latencies that were recorded.
    public private(set) var count = 0
    /// The largest latency in nanoseconds; 0 when nothing was recorded.
    public private(set) var largest: UInt64 = 0

    public init() {
        buckets = [Int](repeating: 0, count: Self.bucket(of: Self.longest) + 1)
    }

    /// Counts one latency.
    public mutating func record(nanoseconds: UInt64) {
        buckets[Self.bucket(of: nanoseconds)] += 1
        count += 1
        if nanoseconds > largest { largest = nanoseconds }
    }

    /// Counts all latencies of another histogram, too.
    public mutating func add(_ other: LoadHistogram) {
        for (index, value) in other.buckets.enumerated() where value > 0 { buckets[index] += value }
        count += other.count
        largest = max(largest, other.largest)
    }

    /// The histogram as text: the largest latency, then the buckets with latencies, each as `NUMBER:COUNT`.
    public var text: String {
        let filled = buckets.enumerated().filter { $0.element > 0 }.map { "\($0.offset):\($0.element)" }
        return (["\(largest)"] + filled).joined(separator: " ")
    }

    /// Reads ``text``. Returns nil for any other text.
    public init?(text: some StringProtocol) {
        self.init()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, let largest = UInt64(first) else { return nil }
        self.largest = largest
        for word in words.dropFirst() {
            let numbers = word.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count == 2, let index = numbers[0], let value = numbers[1], value > 0,
                buckets.indices.contains(index), buckets[index] == 0
            else { return nil }
            buckets[index] = value
            count += value
        }
        guard count > 0 || largest == 0 else { return nil }
    }

    /// Returns the latency in nanoseconds at a place in the ascending order: `part` 0 is the smallest, 0.5 the median, 0.99
    /// the 99th percentile, 1 the largest. Returns 0 when nothing was recorded.
    public func nanoseconds(at part: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let rank = Int(part * Double(count))
        guard rank < count - 1 else { return largest }
        var passed = 0
        for (index, value) in buckets.enumerated() {
            passed += value
            if passed > rank { return Self.lowerBound(of: index) }
        }
        return largest
    }

    /// The bucket of a latency. From 2,048 nanoseconds on, the bucket is named by the power of two and the ten bits that
    /// follow the highest one.
    private static func bucket(of nanoseconds: UInt64) -> Int {
        let value = min(nanoseconds, longest)
        let shift = max(0, 53 - value.leadingZeroBitCount)
        return shift * bucketsPerOctave + Int(truncatingIfNeeded: value >> UInt64(shift))
    }

    /// The smallest latency of a bucket.
    private static func lowerBound(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * bucketsPerOctave else { return UInt64(bucket) }
        let shift = bucket / bucketsPerOctave - 1
        return UInt64(bucket - shift * bucketsPerOctave) << UInt64(shift)
    }
}
