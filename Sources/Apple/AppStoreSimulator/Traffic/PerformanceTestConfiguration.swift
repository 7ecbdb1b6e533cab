package import JSON

/// The numbers of a performance test, with the names of Apple's PerformanceTestConfig.
///
/// Apple does not publish the numbers that it uses. The defaults here are a guess that is meant to be strict.
package struct PerformanceTestConfiguration: Sendable, Hashable, Codable {
    /// The number of requests under way at once, 1 to 256.
    package var maxConcurrentRequests: Int64 = 10
    /// The number of requests in all, 1 to 10,000,000.
    package var totalRequests: Int64 = 1000
    /// The longest duration of the test, in milliseconds, 1 to 3,600,000. Requests without an answer then stay pending.
    package var totalDuration: Int64 = 60_000
    /// The longest time that one answer may take, in milliseconds, 1 to 60,000.
    package var responseTimeThreshold: Int64 = 700
    /// The share of requests that must succeed, in percent, 0 to 100.
    package var successRateThreshold: Int64 = 95

    package init() {}

    /// Refuses numbers outside their ranges. The ranges also limit the load on a server when somebody mistypes a number.
    ///
    /// - Throws: `app-store-traffic.out-of-range`.
    package func check() throws(AppStoreTrafficError) {
        try Self.check("maxConcurrentRequests", maxConcurrentRequests, 1...256)
        try Self.check("totalRequests", totalRequests, 1...10_000_000)
        try Self.check("totalDuration", totalDuration, 1...3_600_000)
        try Self.check("responseTimeThreshold", responseTimeThreshold, 1...60_000)
        try Self.check("successRateThreshold", successRateThreshold, 0...100)
    }

    package var json: JSONNode {
        .object([
            ("maxConcurrentRequests", .integer(maxConcurrentRequests)),
            ("totalRequests", .integer(totalRequests)),
            ("totalDuration", .integer(totalDuration)),
            ("responseTimeThreshold", .integer(responseTimeThreshold)),
            ("successRateThreshold", .integer(successRateThreshold)),
        ])
    }

    private static func check(_ name: String, _ number: Int64, _ range: ClosedRange<Int64>)
        throws(AppStoreTrafficError)
    {
        guard range.contains(number) else { throw .outOfRange(name, range) }
    }
}
