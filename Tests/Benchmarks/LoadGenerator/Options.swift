internal import HTTPLoad
internal import System

/// The command line.
struct Options {
    let port: UInt16
    /// The file of requests.
    let requests: String
    let connections: Int
    let seconds: Double
    /// The certificates to trust, as a PEM file; without it connections are plain.
    private(set) var authorities: String?
    /// Requests a second from a schedule; 0 is a closed loop.
    private(set) var rate = 0.0
    /// The index of the first request to send.
    private(set) var first = 0
    /// Requests a second for some seconds after the schedule; 0 for none.
    private(set) var calmRate = 0.0
    private(set) var calmSeconds = 0.0
    /// True for a run with more load than the server can take (``OverloadWatch``).
    private(set) var isOverload = false
    /// The process that gets SIGHUP, if any.
    private(set) var hup: Int32?
    /// Seconds between two HUPs; 0 for one HUP only.
    private(set) var hupEvery = 0.0
    /// Seconds from the start to the first HUP.
    private(set) var hupAt = 0.0
    /// Text that only answers of the generation before the HUP contain.
    private(set) var old: String?
    /// The most requests to send; each request of the file is sent at most once when this is the number of requests.
    private(set) var limit = Int.max
    /// The good answers.
    private(set) var answer = Answer.decision
    /// The file to which the latencies of the good answers are written, as the text of a ``LoadHistogram``.
    private(set) var latencies: String?

    /// The kind of a good answer. Its status is 200.
    enum Answer: String {
        /// The body is a decision about a retention message.
        case decision
        /// There is no body, as for a notification.
        case empty
    }

    init(_ arguments: [String]) throws {
        guard arguments.count >= 4, let port = UInt16(arguments[0]), let connections = Int(arguments[2]),
            let seconds = Double(arguments[3])
        else { throw Failure("PORT REQUESTS CONNECTIONS SECONDS [NAME=VALUE]…") }
        self.port = port
        requests = arguments[1]
        self.connections = connections
        self.seconds = seconds
        for argument in arguments[4...] {
            let parts = argument.split(separator: "=", maxSplits: 1).map { String($0) }
            let isSet = parts.count == 2 && set(parts[0], parts[1])
            guard isSet else { throw Failure("not understood: \(argument)") }
        }
    }

    /// Sets an option. Returns false when no option has this name or the value does not fit.
    private mutating func set(_ name: String, _ value: String) -> Bool {
        func take<Value>(_ value: Value?, _ path: WritableKeyPath<Options, Value>) -> Bool {
            if let value { self[keyPath: path] = value }
            return value != nil
        }
        return switch name {
        case "authorities": take(value, \.authorities)
        case "rate": take(Double(value), \.rate)
        case "first": take(Int(value), \.first)
        case "calm_rate": take(Double(value), \.calmRate)
        case "calm_seconds": take(Double(value), \.calmSeconds)
        case "overload": take(value == "yes", \.isOverload)
        case "hup": take(Int32(value), \.hup)
        case "hup_every": take(Double(value), \.hupEvery)
        case "hup_at": take(Double(value), \.hupAt)
        case "old": take(value, \.old)
        case "limit": take(Int(value), \.limit)
        case "answer": take(Answer(rawValue: value), \.answer)
        case "latencies": take(value, \.latencies)
        default: false
        }
    }

    /// The plan for the load client.
    func plan(_ watch: ReloadWatch, _ overload: OverloadWatch?) throws -> LoadPlan {
        var plan = LoadPlan(port: port, connections: connections, requests: try Self.read(requests))
        plan.firstRequest = first
        plan.requestLimit = limit
        plan.tls = try authorities.map { try TLSTrust(authoritiesFile: $0, serverName: "localhost") }
        plan.seconds = seconds
        plan.ratePerSecond = rate
        // A slow answer counts as a latency and not as a failure: for two seconds after the end the client still sends
        // requests that were due, and it waits for every answer until then.
        plan.overrunSeconds = 2
        plan.patienceSeconds = seconds + 2
        (plan.calmRatePerSecond, plan.calmSeconds) = (calmRate, calmSeconds)
        plan.judge = { arrival, body in
            let isGood = watch.judge(arrival, body)
            overload?.note(arrival, isGood: isGood)
            return isGood
        }
        if let hup {
            plan.timer = LoadTimer(firstSeconds: hupAt, everySeconds: hupEvery) { watch.sendHangup(to: hup) }
        }
        return plan
    }

    /// The requests of a file: each behind its length, four bytes, little-endian.
    private static func read(_ path: String) throws -> [ArraySlice<UInt8>] {
        // One read into an array of the right size, because the processor time of this function counts as the client's.
        var bytes = [UInt8](repeating: 0, count: try FileStatus(path: path).byteCount)
        let count = try FileDescriptor.openForReading(path: path).read(into: &bytes)
        guard count == bytes.count else { throw Failure("\(path) has changed") }
        var requests: [ArraySlice<UInt8>] = []
        var position = 0
        while let length = unsafe bytes.span.bytes.uint32(at: position) {
            let start = position + 4
            guard Int(length) <= bytes.count - start else { throw Failure("\(path) is cut off") }
            position = start + Int(length)
            requests.append(bytes[start..<position])
        }
        guard !requests.isEmpty else { throw Failure("\(path) has no requests") }
        return requests
    }
}

/// Why the load cannot begin.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
