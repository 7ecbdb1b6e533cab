import AppStoreSimulator
import Testing

@Suite("Response times")
struct ResponseTimesTests {
    /// Response times in microseconds, and the expected average, p50, p90, p95 and p99.
    static let rows: [(times: [Int64], expected: [Int64])] = [
        ([], [0, 0, 0, 0, 0]),
        ([7], [7, 7, 7, 7, 7]),
        ([2, 1], [1, 1, 2, 2, 2]),
        ([30, 10, 20], [20, 20, 30, 30, 30]),
        (Array(1...10), [5, 5, 9, 10, 10]),
        (Array(1...20), [10, 10, 18, 19, 20]),
        (Array((1...100).reversed()), [50, 50, 90, 95, 99]),
        (Array(1...101), [51, 51, 91, 96, 100]),
        (Array(1...1000), [500, 500, 900, 950, 990]),
        ([Int64](repeating: 5, count: 99) + [1_000_000], [10_004, 5, 5, 5, 5]),
        ([Int64](repeating: 5, count: 98) + [1000, 2000], [34, 5, 5, 5, 1000]),
    ]

    @Test("are summed up as average and nearest-rank percentiles", arguments: rows)
    func percentiles(times: [Int64], expected: [Int64]) {
        let found = ResponseTimes(microseconds: times)
        let numbers = [
            found.averageMicroseconds, found.p50Microseconds, found.p90Microseconds, found.p95Microseconds,
            found.p99Microseconds,
        ]
        #expect(numbers == expected)
    }
}
