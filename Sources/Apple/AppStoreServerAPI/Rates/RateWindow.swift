/// The calls of one kind within the last hour. Pure arithmetic: the time is an argument.
///
/// Apple does not say whether its hour is fixed or rolling. A client that never makes more calls than allowed in any
/// rolling hour keeps to both. Calls within the hour's number are made at once.
public struct RateWindow: Sendable, Hashable {
    /// The calls within one span of ``bucketMilliseconds``.
    struct Bucket: Sendable, Hashable {
        /// The start of the span divided by its length.
        var index: Int64
        /// The number of calls.
        var count: Int
    }

    /// The length of the spans in which calls are counted. A call counts until an hour after the end of its span, so
    /// 10 s delay it by that much at most, and an hour has 360 spans.
    static let bucketMilliseconds: Int64 = 10_000
    /// Apple's hour.
    static let hourMilliseconds: Int64 = 3_600_000
    /// How much longer than an hour a call counts. A request reaches Apple's server up to its timeout of 30 s after
    /// it was counted here.
    static let marginMilliseconds: Int64 = 30_000
    /// The greatest number of spans that can count at the same time.
    static let bucketCount = Int((hourMilliseconds + marginMilliseconds) / bucketMilliseconds) + 2

    /// The spans with calls, in the order of time.
    private(set) var buckets: [Bucket] = []
    /// The time until which Apple's server has refused further calls; 0 when it has not.
    public private(set) var blockedUntilMilliseconds: Int64 = 0
    private var total = 0

    /// Makes a window without calls.
    public init() {}

    /// Makes a window from stored parts, which may be of any age and in any order.
    init(buckets: [Bucket], blockedUntilMilliseconds: Int64) {
        self.buckets = buckets.sorted { $0.index < $1.index }
        self.blockedUntilMilliseconds = blockedUntilMilliseconds
        total = buckets.reduce(0) { $0 + $1.count }
    }

    /// True when nothing is left to remember.
    var isEmpty: Bool { buckets.isEmpty && blockedUntilMilliseconds == 0 }

    /// Forgets what no longer counts, and moves to the present what seems to be in the future, because the clock went
    /// back.
    public mutating func advance(to now: Int64) {
        while let first = buckets.first, Self.end(of: first) <= now {
            total -= first.count
            buckets.removeFirst()
        }
        let present = now / Self.bucketMilliseconds
        var late = 0
        while let last = buckets.last, last.index > present {
            late += last.count
            buckets.removeLast()
        }
        if late > 0 {
            total -= late
            add(late, at: present)
        }
        if blockedUntilMilliseconds <= now { blockedUntilMilliseconds = 0 }
        blockedUntilMilliseconds = min(blockedUntilMilliseconds, now + RetryAfter.longestMilliseconds)
    }

    /// Returns the number of calls that count at a time to which the window was advanced.
    public var usedCount: Int { total }

    /// Returns the first moment, from the time to which the window was advanced, at which one more call keeps to the
    /// number of calls per hour.
    public func earliest(at now: Int64, callsPerHour: Int) -> Int64 {
        let blocked = max(now, blockedUntilMilliseconds)
        guard total >= callsPerHour else { return blocked }
        var rest = total
        for bucket in buckets {
            rest -= bucket.count
            if rest < callsPerHour { return max(blocked, Self.end(of: bucket)) }
        }
        return blocked
    }

    /// Counts a call at a time to which the window was advanced.
    public mutating func add(at now: Int64) {
        add(1, at: now / Self.bucketMilliseconds)
    }

    /// Remembers that Apple's server refused further calls until the given time.
    public mutating func block(untilMilliseconds: Int64) {
        blockedUntilMilliseconds = max(blockedUntilMilliseconds, untilMilliseconds)
    }

    private mutating func add(_ count: Int, at index: Int64) {
        total += count
        if let last = buckets.indices.last, buckets[last].index == index {
            buckets[last].count += count
        } else {
            buckets.append(Bucket(index: index, count: count))
        }
    }

    /// The time from which the calls of a span no longer count.
    private static func end(of bucket: Bucket) -> Int64 {
        (bucket.index + 1) * bucketMilliseconds + hourMilliseconds + marginMilliseconds
    }
}
