/// An answer as far as answers are told apart.
public struct LoadAnswer: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The body.
    public let body: String

    /// An answer.
    public init(status: Int, body: String) {
        self.status = status
        self.body = body
    }

    /// Status and the beginning of the body.
    public var description: String { "\(status) \(body.prefix(160))" }
}

/// What came of a ``LoadPlan``.
public struct LoadReport: Sendable, CustomStringConvertible {
    /// Requests that were sent whole or in part.
    public var sent = 0
    /// How often each answer came.
    public var answers: [LoadAnswer: Int] = [:]
    /// Requests whose connection ended before the answer.
    public var lost = 0
    /// Requests that were not answered within the plan's patience.
    public var stalled = 0
    /// Connections that could not be opened.
    public var unopened = 0
    /// What an answer took, in microseconds; with a rate counted from when the request was due.
    public var latencies: [UInt32] = []
    /// From the first request to the last answer.
    public var seconds = 0.0

    /// Nothing yet.
    public init() {}

    /// Requests that were answered at all.
    public var answered: Int { answers.values.reduce(0, +) }

    /// How many answers had a status.
    public func count(status: Int) -> Int {
        answers.filter { $0.key.status == status }.values.reduce(0, +)
    }

    /// Requests that did not get a 200.
    public var failures: Int { lost + stalled + unopened + answered - count(status: 200) }

    /// Answers with a status of 200 a second.
    public var goodPerSecond: Double { seconds > 0 ? Double(count(status: 200)) / seconds : 0 }

    /// The latency in microseconds that this part of the answers does not exceed.
    public func latency(_ part: Double) -> UInt32 {
        guard !latencies.isEmpty else { return 0 }
        let sorted = latencies.sorted()
        return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    /// One line of figures, then the answers that are not a 200.
    public var description: String {
        let bad = answers.filter { $0.key.status != 200 }.map { "\($0.value) x \($0.key)" }
        let head =
            "sent \(sent), 200 \(count(status: 200)), lost \(lost), stalled \(stalled), unopened \(unopened), "
            + "\(Int(goodPerSecond))/s, p50 \(latency(0.5)) us, p99 \(latency(0.99)) us, slowest \(latency(1)) us"
        return ([head] + bad.sorted()).joined(separator: "; ")
    }
}
