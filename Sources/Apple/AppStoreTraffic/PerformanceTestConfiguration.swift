internal import JSON

/// What a performance test does: Apple's PerformanceTestConfig.
///
/// Apple does not publish the numbers it uses; the defaults here are a guess at something strict.
public struct PerformanceTestConfiguration: Sendable, Hashable {
    /// Requests under way at once.
    public var maxConcurrentRequests: Int64 = 10
    /// Requests in all.
    public var totalRequests: Int64 = 1000
    /// After how long the test ends, in milliseconds; what is not answered then stays pending.
    public var totalDuration: Int64 = 60_000
    /// How long one answer may take, in milliseconds.
    public var responseTimeThreshold: Int64 = 700
    /// How many of a hundred requests must succeed.
    public var successRateThreshold: Int64 = 95

    /// The defaults above.
    public init() {}

    /// Refuses numbers outside their ranges, which also bound what a slip of the hand can do to a server.
    ///
    /// - Throws: `app-store-traffic.out-of-range`.
    public func check() throws(AppStoreTrafficError) {
        try Self.check("maxConcurrentRequests", maxConcurrentRequests, 1...256)
        try Self.check("totalRequests", totalRequests, 1...10_000_000)
        try Self.check("totalDuration", totalDuration, 1...3_600_000)
        try Self.check("responseTimeThreshold", responseTimeThreshold, 1...60_000)
        try Self.check("successRateThreshold", successRateThreshold, 0...100)
    }

    var json: JSONNode {
        .object([
            ("maxConcurrentRequests", .integer(maxConcurrentRequests)),
            ("totalRequests", .integer(totalRequests)),
            ("totalDuration", .integer(totalDuration)),
            ("responseTimeThreshold", .integer(responseTimeThreshold)),
            ("successRateThreshold", .integer(successRateThreshold)),
        ])
    }

    private static func check(
        _ name: String,
        _ number: Int64,
        _ range: ClosedRange<Int64>
    ) throws(AppStoreTrafficError) {
        guard range.contains(number) else { throw .outOfRange(name, range) }
    }
}
