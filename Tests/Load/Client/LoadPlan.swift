/// What a ``LoadClient`` sends, to whom, and how it judges the answers.
public struct LoadPlan: Sendable {
    /// Judges one answer: true when it is a good one. Called on the client's thread; `body` is without the frame of chunks.
    public typealias Judge = @Sendable (_ arrival: LoadArrival, _ body: RawSpan) -> Bool

    /// The port on 127.0.0.1.
    public var port: UInt16
    /// How many connections are opened before the first request, and kept.
    public var connections: Int
    /// Whole HTTP requests, sent in turn. They may be slices of one large array.
    public var requests: [ArraySlice<UInt8>]
    /// The request to begin with.
    public var firstRequest = 0
    /// Makes the connections TLS connections; nil for plain ones.
    public var tls: TLSTrust?
    /// Changes the bytes of a request before it is sent, keeping its length; the number counts requests from 0.
    public var patch: (@Sendable (Int, inout [UInt8]) -> Void)?
    /// Judges the answers. Without a judge the report lists every different answer, and its latencies are those of all.
    /// With a judge it lists no answers, and its latencies are those of the good ones.
    public var judge: Judge?
    /// Called at given times.
    public var timer: LoadTimer?
    /// Requests after which nothing more is sent.
    public var requestLimit = Int.max
    /// Time after which nothing more is sent.
    public var seconds = 3600.0
    /// Requests a second from a schedule, sent whether or not earlier ones are answered as long as a connection is
    /// idle; 0 sends the next as soon as a connection is idle.
    public var ratePerSecond = 0.0
    /// How long after the end requests are still sent that were due before it and found no idle connection.
    public var overrunSeconds = 0.0
    /// An answer that takes longer is a stall, and its connection is given up.
    public var patienceSeconds = 15.0

    /// A closed loop over these requests.
    public init(port: UInt16, connections: Int, requests: [ArraySlice<UInt8>]) {
        self.port = port
        self.connections = connections
        self.requests = requests
    }

    /// A closed loop over these requests.
    public init(port: UInt16, connections: Int, requests: [[UInt8]]) {
        self.init(port: port, connections: connections, requests: requests.map { $0[...] })
    }

    /// The plan with something changed.
    public func with(_ change: (inout LoadPlan) -> Void) -> LoadPlan {
        var copy = self
        change(&copy)
        return copy
    }
}

/// What a judge is told about an answer besides its body. Times are monotonic nanoseconds.
public struct LoadArrival: Sendable {
    /// The HTTP status.
    public let status: Int
    /// When the request was due.
    public let dueTime: UInt64
    /// When the answer was complete.
    public let time: UInt64

    /// From the moment the request was due until its answer was complete.
    public var latencyNanoseconds: UInt64 { time - dueTime }
}

/// Something that a ``LoadClient`` does at given times on its own thread, such as sending a signal.
public struct LoadTimer: Sendable {
    /// Seconds from the start of the run to the first call.
    public var firstSeconds: Double
    /// Seconds between two calls; 0 for one call only.
    public var everySeconds: Double
    /// What is done.
    public var action: @Sendable () -> Void

    /// A timer.
    public init(firstSeconds: Double, everySeconds: Double, action: @escaping @Sendable () -> Void) {
        self.firstSeconds = firstSeconds
        self.everySeconds = everySeconds
        self.action = action
    }
}
