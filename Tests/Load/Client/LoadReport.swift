/// Status and body of an answer. The report counts answers that are equal in both.
public struct LoadAnswer: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    public let body: String

    /// Makes an answer.
    public init(status: Int, body: String) {
        self.status = status
        self.body = body
    }

    /// The status and the beginning of the body.
    public var description: String { "\(status) \(body.prefix(160))" }
}

/// The result of a ``LoadPlan``. Each request that a connection took is counted once: as an answer, or in ``lost``, ``broken``,
/// ``stalled`` or ``unopened``.
public struct LoadReport: Sendable, CustomStringConvertible {
    /// Requests that were sent whole or in part.
    public internal(set) var sent = 0
    /// How often each answer came; empty when the plan has a judge.
    public internal(set) var answers: [LoadAnswer: Int] = [:]
    /// Answers that the plan's judge called good; without a judge, answers with status 200.
    public internal(set) var good = 0
    /// Requests whose connection ended before the answer.
    public internal(set) var lost = 0
    /// Requests whose answer was not HTTP or was larger than the client's buffer.
    public internal(set) var broken = 0
    /// Requests that were not answered within the plan's patience.
    public internal(set) var stalled = 0
    /// Requests for which no connection could be opened.
    public internal(set) var unopened = 0
    /// Why the last connection that failed could not be opened; nil when every connection was opened.
    public internal(set) var openingFailure: String?
    /// Requests that were due before the end of an open loop but were never sent, because no connection was idle.
    public internal(set) var unsent = 0
    /// Connections that were opened.
    public internal(set) var opened = 0
    /// Answers on a connection that had answered before.
    public internal(set) var reused = 0
    /// Connections on which the server sent more than answers: bytes behind an answer, or while no request was under way.
    /// The client closes them.
    public internal(set) var excess = 0
    /// Connections that the server closed while no request was under way.
    public internal(set) var closedIdle = 0
    /// The times from the moment a request was due until its answer was complete. In a closed loop a request is due when the
    /// client sends it.
    public internal(set) var latencies = LoadHistogram()
    /// The time from the first request to the last answer.
    public internal(set) var seconds = 0.0
    private var counts = [Int](repeating: 0, count: 1000)

    /// Makes a report that counts nothing yet.
    init() {}

    /// Requests that were answered, with any status.
    public var answered: Int { counts.reduce(0, +) }

    /// Returns the number of answers with the given status.
    public func count(status: Int) -> Int { counts.indices.contains(status) ? counts[status] : 0 }

    /// Requests that got no answer, and connections on which the server sent more than answers.
    public var unanswered: Int { lost + broken + stalled + unopened + excess }

    /// Requests that got no good answer, and connections on which the server sent more than answers.
    public var failures: Int { unanswered + answered - good }

    /// Good answers a second.
    public var goodPerSecond: Double { seconds > 0 ? Double(good) / seconds : 0 }

    /// Returns the latency in microseconds that the given part of the answers does not exceed: 0.5 is the median.
    public func latency(_ part: Double) -> UInt32 {
        UInt32(clamping: latencies.nanoseconds(at: part) / 1000)
    }

    /// The figures, then the answers whose status is not 200, in one line.
    public var description: String {
        let bad = answers.filter { $0.key.status != 200 }.map { "\($0.value) x \($0.key)" }
        let head =
            "sent \(sent), good \(good), lost \(lost), broken \(broken), stalled \(stalled), unopened \(unopened), "
            + "\(Int(goodPerSecond))/s, p50 \(latency(0.5)) us, p99 \(latency(0.99)) us, slowest \(latency(1)) us"
        return ([head] + (openingFailure.map { [$0] } ?? []) + bad.sorted()).joined(separator: "; ")
    }

    /// Counts an answer.
    mutating func count(status: Int, isGood: Bool) {
        counts[min(max(status, 0), counts.count - 1)] += 1
        if isGood { good += 1 }
    }
}
