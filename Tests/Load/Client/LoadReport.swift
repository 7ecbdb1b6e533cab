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

/// What came of a ``LoadPlan``. Each request that was begun is counted once: as an answer, or in ``lost``, ``broken``,
/// ``stalled`` or ``unopened``.
public struct LoadReport: Sendable, CustomStringConvertible {
    /// Requests that were sent whole or in part.
    public internal(set) var sent = 0
    /// How often each answer came; empty when the plan has a judge.
    public internal(set) var answers: [LoadAnswer: Int] = [:]
    /// Answers that the plan's judge called good; without a judge those with status 200.
    public internal(set) var good = 0
    /// Requests whose connection ended before the answer.
    public internal(set) var lost = 0
    /// Requests whose answer was not HTTP or was larger than the client's buffer.
    public internal(set) var broken = 0
    /// Requests that were not answered within the plan's patience.
    public internal(set) var stalled = 0
    /// Requests for which no connection could be opened.
    public internal(set) var unopened = 0
    /// Why the last connection that failed could not be opened; nil when all could.
    public internal(set) var openingFailure: String?
    /// Requests that were due before the end of an open loop and were never begun.
    public internal(set) var unsent = 0
    /// Connections that were opened.
    public internal(set) var opened = 0
    /// Answers on a connection that had answered before.
    public internal(set) var reused = 0
    /// Connections on which more came than answers: bytes behind one, or while no request was under way. They are closed.
    public internal(set) var excess = 0
    /// Connections that the server closed while no request was under way.
    public internal(set) var closedIdle = 0
    /// From the moment a request was due until its answer was complete. In a closed loop a request is due when it is sent.
    public internal(set) var latencies = LoadHistogram()
    /// From the first request to the last answer.
    public internal(set) var seconds = 0.0
    private var counts = [Int](repeating: 0, count: 1000)

    /// An empty report.
    init() {}

    /// Requests that were answered at all.
    public var answered: Int { counts.reduce(0, +) }

    /// How many answers had a status.
    public func count(status: Int) -> Int { counts.indices.contains(status) ? counts[status] : 0 }

    /// Requests that got no answer, and connections on which more came than answers.
    public var unanswered: Int { lost + broken + stalled + unopened + excess }

    /// Requests that did not get a good answer, and connections on which more came than answers.
    public var failures: Int { unanswered + answered - good }

    /// Good answers a second.
    public var goodPerSecond: Double { seconds > 0 ? Double(good) / seconds : 0 }

    /// The latency in microseconds that this part of the answers does not exceed.
    public func latency(_ part: Double) -> UInt32 {
        UInt32(clamping: latencies.nanoseconds(at: part) / 1000)
    }

    /// One line of figures, then the answers that are not a 200.
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
