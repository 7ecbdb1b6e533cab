internal import Synchronization

/// What a ``LoadClient`` sends, to whom, and how it judges the answers.
package struct LoadPlan: Sendable {
    /// Returns true when an answer is good. The client calls it on its own thread. `body` has no chunk sizes. `time` is when
    /// the answer was complete, in monotonic nanoseconds.
    package typealias Judge = @Sendable (_ status: Int, _ body: RawSpan, _ time: UInt64) -> Bool

    /// The port on 127.0.0.1.
    package var port: UInt16
    /// The number of an address 127.x.0.1 from which the client connects.
    package var network: UInt8 = 0
    /// How many connections are opened before the first request, and kept.
    package var connections: Int
    /// Whole HTTP requests, sent in turn. They may be slices of one large array.
    package var requests: [ArraySlice<UInt8>]
    /// The index of the first request to send.
    package var firstRequest = 0
    /// Makes the connections TLS connections; nil for plain ones.
    package var tls: TLSTrust?
    /// Changes the bytes of a request before the client sends it, but not their number. The first argument counts the
    /// requests from 0.
    package var patch: (@Sendable (Int, inout [UInt8]) -> Void)?
    /// Without a judge, answers with status 200 are good, and the report lists every different answer.
    package var judge: Judge?
    /// The client sends at most so many requests.
    package var requestLimit = Int.max
    /// The client sends requests for so many seconds.
    package var seconds = 3600.0
    /// Requests a second. The client sends them by a schedule on any idle connection, also before earlier requests are
    /// answered (an open loop). With 0 it sends the next request as soon as a connection is idle (a closed loop).
    package var ratePerSecond = 0.0
    /// The client waits so long for an answer. Then it counts a stall and closes the connection.
    package var patienceSeconds = 15.0

    /// Makes the plan of a closed loop that sends these requests.
    package init(port: UInt16, connections: Int, requests: [ArraySlice<UInt8>]) {
        self.port = port
        self.connections = connections
        self.requests = requests
    }

    package init(port: UInt16, connections: Int, requests: [[UInt8]]) {
        self.init(port: port, connections: connections, requests: requests.map { $0[...] })
    }

    /// Returns a copy of the plan that `change` has changed.
    package func with(_ change: (inout LoadPlan) -> Void) -> LoadPlan {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Status and body of an answer. The report counts answers that are equal in both.
package struct LoadAnswer: Sendable, Hashable, CustomStringConvertible {
    package let status: Int
    package let body: String

    package init(status: Int, body: String) {
        self.status = status
        self.body = body
    }

    package var description: String { "\(status) \(body.prefix(160))" }
}

/// The result of a ``LoadPlan``. Each request that a connection took is counted once: as an answer, or in ``lost``, ``broken``,
/// ``stalled`` or ``unopened``.
package struct LoadReport: Sendable, CustomStringConvertible {
    /// Requests that a connection took.
    package internal(set) var sent = 0
    /// How often each answer came; empty when the plan has a judge.
    package internal(set) var answers: [LoadAnswer: Int] = [:]
    package internal(set) var answered = 0
    package internal(set) var good = 0
    /// Requests whose connection ended before the answer.
    package internal(set) var lost = 0
    /// Requests whose answer was not HTTP, was too large or was followed by more bytes, and connections on which the server
    /// sent bytes while no request was under way.
    package internal(set) var broken = 0
    /// Requests that were not answered within the plan's patience.
    package internal(set) var stalled = 0
    /// Requests for which no connection could be opened.
    package internal(set) var unopened = 0
    /// Why the last connection that failed could not be opened.
    package internal(set) var openingFailure: String?
    /// Requests that were due before the end of an open loop but were never sent, because no connection was idle.
    package internal(set) var unsent = 0
    /// Microseconds from the moment a request was due until its answer was complete, ascending. In a closed loop a request is
    /// due when the client sends it.
    var latencies: [UInt32] = []
    /// The time from the first request to the last answer.
    package internal(set) var seconds = 0.0

    /// The number of answers with this status, of a plan without a judge.
    package func count(status: Int) -> Int {
        answers.reduce(0) { $0 + ($1.key.status == status ? $1.value : 0) }
    }

    package var unanswered: Int { lost + broken + stalled + unopened }
    package var failures: Int { unanswered + answered - good }
    package var goodPerSecond: Double { seconds > 0 ? Double(good) / seconds : 0 }

    /// The latency in microseconds that the given part of the answers does not exceed: 0.5 is the median.
    package func latency(_ part: Double) -> UInt32 {
        guard !latencies.isEmpty else { return 0 }
        return latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))]
    }

    package var description: String {
        let bad = answers.filter { $0.key.status != 200 }.map { "\($0.value) x \($0.key)" }
        let head =
            "sent \(sent), good \(good), lost \(lost), broken \(broken), stalled \(stalled), unopened \(unopened), "
            + "\(Int(goodPerSecond))/s, p50 \(latency(0.5)) us, p99 \(latency(0.99)) us, slowest \(latency(1)) us"
        return ([head] + (openingFailure.map { [$0] } ?? []) + bad.sorted()).joined(separator: "; ")
    }
}

/// Sends many requests over kept connections and judges every answer. One thread, one epoll(7).
package final class LoadClient: Sendable {
    private let plan: LoadPlan
    private let stopping = Atomic<Bool>(false)
    private let answeredCount = Atomic<Int>(0)

    package init(_ plan: LoadPlan) {
        self.plan = plan
    }

    /// The number of requests that were answered so far. Other threads may read it during the run.
    package var answered: Int { answeredCount.load(ordering: .relaxed) }

    /// Ends the run: the client sends no further request, and ``run()`` returns after the answers to the requests under
    /// way.
    package func stop() { stopping.store(true, ordering: .relaxed) }

    /// Runs the plan on this thread.
    package func run() -> LoadReport {
        var run = LoadRun(plan: plan, client: self)
        return run.run()
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }
    func countAnswer() { answeredCount.add(1, ordering: .relaxed) }
}
