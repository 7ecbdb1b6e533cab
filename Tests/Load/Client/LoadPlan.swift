/// What a ``LoadClient`` sends, to whom, and how it judges the answers.
public struct LoadPlan: Sendable {
    /// Returns true when an answer is good. The client calls it on its own thread. `body` has no chunk sizes.
    public typealias Judge = @Sendable (_ arrival: LoadArrival, _ body: RawSpan) -> Bool

    /// The port on 127.0.0.1.
    public var port: UInt16
    /// How many connections are opened before the first request, and kept.
    public var connections: Int
    /// Whole HTTP requests, sent in turn. They may be slices of one large array.
    public var requests: [ArraySlice<UInt8>]
    /// The index of the first request to send.
    public var firstRequest = 0
    /// Makes the connections TLS connections; nil for plain ones.
    public var tls: TLSTrust?
    /// Changes the bytes of a request before the client sends it, but not their number. The first argument counts the
    /// requests from 0.
    public var patch: (@Sendable (Int, inout [UInt8]) -> Void)?
    /// Judges the answers. Without a judge the report lists every different answer and has the latencies of all answers.
    /// With a judge the report lists no answers and has the latencies of the good answers.
    public var judge: Judge?
    /// An action that the client takes at given times.
    public var timer: LoadTimer?
    /// The client sends at most so many requests.
    public var requestLimit = Int.max
    /// The client sends requests for so many seconds.
    public var seconds = 3600.0
    /// Requests a second. The client sends them by a schedule on any idle connection, also before earlier requests are
    /// answered (an open loop). With 0 it sends the next request as soon as a connection is idle (a closed loop).
    public var ratePerSecond = 0.0
    /// After the schedule the client goes on for so many seconds at ``calmRatePerSecond``. The end of the run is the end of
    /// that time. Only for an open loop.
    public var calmSeconds = 0.0
    /// Requests a second after the schedule.
    public var calmRatePerSecond = 0.0
    /// For so long after the end, the client still sends requests that were due before the end and found no idle connection.
    public var overrunSeconds = 0.0
    /// The client waits so long for an answer. Then it counts a stall and closes the connection.
    public var patienceSeconds = 15.0

    /// Makes the plan of a closed loop that sends these requests.
    public init(port: UInt16, connections: Int, requests: [ArraySlice<UInt8>]) {
        self.port = port
        self.connections = connections
        self.requests = requests
    }

    /// Makes the plan of a closed loop that sends these requests.
    public init(port: UInt16, connections: Int, requests: [[UInt8]]) {
        self.init(port: port, connections: connections, requests: requests.map { $0[...] })
    }

    /// Returns a copy of the plan that `change` has changed.
    public func with(_ change: (inout LoadPlan) -> Void) -> LoadPlan {
        var copy = self
        change(&copy)
        return copy
    }
}

/// The status and the times of an answer, for the judge. Times are monotonic nanoseconds.
public struct LoadArrival: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The index of the request in ``LoadPlan/requests``.
    public let request: Int
    /// When the clock of the run started.
    public let startTime: UInt64
    /// When the request was due.
    public let dueTime: UInt64
    /// When the answer was complete.
    public let time: UInt64

    /// The time from the moment the request was due until its answer was complete.
    public var latencyNanoseconds: UInt64 { time - dueTime }
}

/// An action that a ``LoadClient`` takes at given times on its own thread, such as sending a signal.
public struct LoadTimer: Sendable {
    /// Seconds from the start of the run to the first call.
    public var firstSeconds: Double
    /// Seconds between two calls; 0 for one call only.
    public var everySeconds: Double
    public var action: @Sendable () -> Void

    /// Makes a timer.
    public init(firstSeconds: Double, everySeconds: Double, action: @escaping @Sendable () -> Void) {
        self.firstSeconds = firstSeconds
        self.everySeconds = everySeconds
        self.action = action
    }
}
