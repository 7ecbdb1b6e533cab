internal import AppStoreTraffic

/// Lines for a person that Apple's result object does not have.
extension PerformanceTestResult {
    /// One line each for the rate, the times, the statuses and the causes of failures.
    var notes: [String] {
        guard let rate = answersPerSecond else { return ["no answers"] + causeLines }
        let times = [
            ("average", responseTimes.averageMicroseconds), ("p50", responseTimes.p50Microseconds),
            ("p90", responseTimes.p90Microseconds), ("p95", responseTimes.p95Microseconds),
            ("p99", responseTimes.p99Microseconds),
        ]
        return [
            "\(answerCount) answers, \(Int64(rate)) a second",
            "times: " + times.map { "\($0) \(Milliseconds.text($1))" }.joined(separator: ", "),
            "statuses: " + statuses.map { "\($0.status) \($0.count) times" }.joined(separator: ", "),
        ] + causeLines
    }

    private var causeLines: [String] {
        causes.map { "\($0.outcome.rawValue) \($0.count) times: \($0.reason)" }
    }
}

/// Durations as text for a person.
enum Milliseconds {
    /// Returns the duration in milliseconds with two decimals, rounded to the nearest: `1.27 ms`.
    static func text(_ microseconds: Int64) -> String {
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
    }
}
