internal import HTTPLoad
internal import Synchronization
internal import System

// The load generator of the benchmarks. It is a process of its own, so that it can have a core of its own:
//
//     load PORT REQUESTS CONNECTIONS SECONDS [NAME=VALUE]…
//
// REQUESTS is a file of whole HTTP requests, each behind its length. The program prints one line of NAME=VALUE.
//
//     authorities=FILE  the certificates to trust, as a PEM file
//     rate=NUMBER       requests a second from a schedule; without it a closed loop
//     first=INDEX       the first request to send
//     limit=COUNT       the most requests to send
//     answer=empty      good answers have no body, as for a notification; without it they are decisions
//     network=NUMBER    connects from 127.NUMBER.0.1
//     hup=PID old=TEXT  sends SIGHUP after 0.2 seconds; only answers of the generation before it have the text
//     hups=PID          sends SIGHUP every 100 milliseconds

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Judges answers, and tells those of the generation before a HUP from later ones.
final class Watch: Sendable {
    private struct State {
        var hangup: UInt64?
        /// When the last answer of the old generation and the first answer of the new generation arrived.
        var lastOld: UInt64?
        var firstNew: UInt64?
    }

    private let state = Mutex(State())
    private let old: [UInt8]
    private let isEmptyGood: Bool
    /// Text that every decision contains. A server that sends 200 without a decision would look fast.
    private static let decision = Array(#"":{"messageIdentifier":""#.utf8)

    init(old: String, isEmptyGood: Bool) {
        self.old = Array(old.utf8)
        self.isEmptyGood = isEmptyGood
    }

    func hangUp(_ process: Int32) {
        state.withLock { $0.hangup = Clock.monotonicNanoseconds() }
        try? Processes.send(.hangup, to: process)
    }

    func judge(_ status: Int, _ body: RawSpan, _ time: UInt64) -> Bool {
        guard status == 200 else { return false }
        guard !isEmptyGood else { return body.byteCount == 0 }
        guard Self.holds(body, Self.decision) else { return false }
        guard !old.isEmpty else { return true }
        let isOld = Self.holds(body, old)
        state.withLock { state in
            guard state.hangup != nil else { return }
            if isOld { state.lastOld = time } else if state.firstNew == nil { state.firstNew = time }
        }
        return true
    }

    private static func holds(_ body: RawSpan, _ text: [UInt8]) -> Bool {
        guard body.byteCount >= text.count else { return false }
        for start in 0...body.byteCount - text.count where body.uint8(at: start) == text.first {
            var length = 1
            while length < text.count, body.uint8(at: start + length) == text[length] { length += 1 }
            if length == text.count { return true }
        }
        return false
    }

    /// Microseconds from the HUP until every answer came from the new generation; -1 when none did.
    var switched: Double {
        state.withLock { state in
            guard let hangup = state.hangup, let new = state.firstNew else { return -1 }
            return Double(max(new, state.lastOld ?? 0) - hangup) / 1000
        }
    }
}

/// The requests of a file: each behind its length, four bytes, little-endian.
func requests(_ path: String) throws -> [ArraySlice<UInt8>] {
    let bytes = try FileDescriptor.openForReading(path: path).readAll(limitBytes: 1 << 30)
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

/// Runs the load of the command line and returns the line to print.
func run(_ arguments: [String]) throws -> String {
    guard arguments.count >= 4, let port = UInt16(arguments[0]), let connections = Int(arguments[2]),
        let seconds = Double(arguments[3])
    else { throw Failure("PORT REQUESTS CONNECTIONS SECONDS [NAME=VALUE]…") }
    var options: [String: String] = [:]
    for argument in arguments[4...] {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { throw Failure("not NAME=VALUE: \(argument)") }
        options[String(parts[0])] = String(parts[1])
    }
    let watch = Watch(old: options["old"] ?? "", isEmptyGood: options["answer"] == "empty")
    var plan = LoadPlan(port: port, connections: connections, requests: try requests(arguments[1]))
    plan.firstRequest = options["first"].flatMap { Int($0) } ?? 0
    plan.requestLimit = options["limit"].flatMap { Int($0) } ?? .max
    plan.tls = try options["authorities"].map { try TLSTrust(authoritiesFile: $0, serverName: "localhost") }
    plan.seconds = seconds
    plan.network = options["network"].flatMap { UInt8($0) } ?? 0
    plan.ratePerSecond = options["rate"].flatMap { Double($0) } ?? 0
    // A slow answer is no failure.
    plan.patienceSeconds = seconds + 2
    plan.judge = { watch.judge($0, $1, $2) }
    if let process = options["hup"].flatMap({ Int32($0) }) {
        try ServiceThread.start {
            Clock.sleep(milliseconds: 200)
            watch.hangUp(process)
        }
    }
    if let process = options["hups"].flatMap({ Int32($0) }) {
        try ServiceThread.start {
            while true {
                Clock.sleep(milliseconds: 100)
                watch.hangUp(process)
            }
        }
    }
    let report = LoadClient(plan).run()
    let values: [(String, Double)] = [
        ("good", Double(report.good)), ("failed", Double(report.failures)), ("unsent", Double(report.unsent)),
        (
            "rate",
            Double(report.good) / max(report.seconds, report.sent < plan.requestLimit ? seconds : 0.001)
        ),
        ("switched", watch.switched), ("p99", Double(report.latency(0.99))),
    ]
    let figures = values.map { "\($0)=\($1)" }.joined(separator: " ")
    return figures + (report.failures > 0 ? " report: \(report)" : "")
}

/// Writes a line to a standard stream.
func say(_ text: String, to number: Int32) {
    let stream = FileDescriptor(takingOwnership: number)
    let bytes = Array((text + "\n").utf8)
    try? stream.write(bytes.span)
    _ = stream.release()
}

do {
    say(try run(Array(CommandLine.arguments.dropFirst())), to: 1)
} catch {
    say("load: \(error)", to: 2)
    Processes.exit(64)
}
