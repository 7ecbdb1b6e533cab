struct RecorderMetrics {
    private var values: [Substring: Double] = [:]

    /// Reads the page through nginx.
    init(_ gateway: Gateway) throws {
        guard let text = gateway.get("/notifications-metrics") else { throw Failure("no metrics") }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2 else { continue }
            values[words[0].dropFirst("retentiond_recorder_".count)] = Double(words[1])
        }
    }

    /// The notifications with this outcome, of all types.
    func notifications(_ outcome: String) -> Double { sum { $0.hasSuffix("outcome=\"\(outcome)\"}") } }

    /// Requests that wait for a commit.
    var parked: Double { values["parked_requests"] ?? 0 }
    /// Requests that the recorder itself has refused with one of these codes.
    func problems(_ codes: [String]) -> Double {
        sum { name in codes.contains { name.hasPrefix("problems_total{") && name.contains("\"\($0)\"") } }
    }
    /// Signed parts that failed their own check.
    var failedParts: Double { sum { $0.hasPrefix("failed_parts_total") } }
    /// The mean number of notifications in a commit.
    var batchSize: Double { (values["batch_size_sum"] ?? 0) / max(1, values["batch_size_count"] ?? 0) }
    /// The mean time of a commit in milliseconds.
    var commitMilliseconds: Double {
        1000 * (values["commit_seconds_sum"] ?? 0) / max(1, values["commit_seconds_count"] ?? 0)
    }

    private func sum(_ isWanted: (Substring) -> Bool) -> Double {
        values.filter { isWanted($0.key) }.values.reduce(0, +)
    }
}
