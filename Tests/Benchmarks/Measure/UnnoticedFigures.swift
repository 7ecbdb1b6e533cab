internal import BenchmarkStatistics
internal import HTTPLoad
internal import System

/// Measures that retention messages do not notice notifications: the pool and the recorder are behind one nginx, and the
/// latency of retention messages is compared while the store hangs, and while many notifications come.
final class UnnoticedFigures {
    private let plan: Plan
    private let traffic: Traffic
    private let notifications: NotificationTraffic
    private let pool: Pool
    private let gateway: Gateway
    private var next = 0
    private var storeCount = 0

    /// Retention messages a second.
    private static let rate = 1000
    /// Notifications a second while the store hangs. Each is parked for five seconds and then answered with 503, until the
    /// recorder has no room for more; those that come then are answered with 503 at once.
    private static let hangingRate = 50
    /// Notifications a second in the comparison with the sink.
    private static let busyRate = 1000

    /// Starts the pool and nginx.
    init(_ plan: Plan, _ traffic: Traffic, _ notifications: NotificationTraffic) throws {
        self.plan = plan
        self.traffic = traffic
        self.notifications = notifications
        pool = try Pool(
            plan, name: "unnoticed-pool", anchors: traffic.anchorFile,
            rules: try CompiledRules.small(generation: 0))
        gateway = try Gateway(
            "unnoticed-nginx", plan, socket: pool.socket,
            recorder: RecorderServer.socket(of: "unnoticed", in: plan.workspace))
    }

    func measure() throws -> [Figure] {
        _ = try messages(seconds: 1)
        return [try hanging(), try busy()]
    }

    // MARK: - A store that hangs

    private func hanging() throws -> Figure {
        let seconds = plan.isFull ? 60.0 : 15.0
        let holder = plan.workspace.path(of: "holder")
        var refusedCount = 0.0
        /// Measures beside a recorder whose store is idle, or hangs while notifications come.
        func latencies(_ side: LatencyComparison.Side) throws -> LoadHistogram {
            let recorder = try recorder(.recorder, .held(by: holder))
            defer { recorder.stop() }
            guard side == .subject else { return try messages(seconds: seconds) }
            try plan.workspace.write("", to: "holder")
            defer { try? Directory.removeFile(path: holder) }
            let load = try startNotifications(
                rate: Self.hangingRate, seconds: seconds, connections: 320, givesWay: true)
            guard try RecorderMetrics(gateway).parked > 0 else { throw Failure("the store does not hang") }
            let latencies = try messages(seconds: seconds)
            guard !load.hasEnded else { throw Failure("the notifications ended before the messages") }
            let notifications = try Load(line: load.finish())
            let refused = try RecorderMetrics(gateway).problems([
                "deadline-passed", "store-unavailable", "overloaded",
            ])
            guard notifications.good + notifications.unsent == 0, notifications.failed == refused else {
                throw Failure(
                    "\(notifications.good) notifications were stored while the store hung, \(notifications.unsent) not "
                        + "sent; \(notifications.failed) failed, and the recorder refused \(refused)"
                )
            }
            refusedCount += notifications.failed
            return latencies
        }
        return figure(
            "99th percentile of the latency of retention messages while the store hangs, over that in quiet",
            try LatencyComparison(rounds: min(plan.pairs, plan.isFull ? 3 : 5), phases: 1, latencies),
            "\(Self.hangingRate) notifications/s; \(Int(refusedCount)) were answered with 503")
    }

    // MARK: - Many notifications

    private func busy() throws -> Figure {
        // Each notification is sent once, and the load lasts two seconds longer.
        let seconds = Double(NotificationTraffic.count / Self.busyRate) - 2
        func latencies(_ side: LatencyComparison.Side) throws -> LoadHistogram {
            let recorder = try recorder(side == .subject ? .recorder : .sink, .real)
            defer { recorder.stop() }
            let load = try startNotifications(
                rate: Self.busyRate, seconds: seconds, connections: 64, givesWay: false)
            let latencies = try messages(seconds: seconds)
            guard !load.hasEnded else { throw Failure("the notifications ended before the messages") }
            let taken = try Load(line: load.finish())
            guard taken.failed + taken.unsent == 0 else {
                throw Failure("\(taken.failed) notifications failed, \(taken.unsent) were not sent")
            }
            let metrics = try RecorderMetrics(gateway)
            guard metrics.notifications("stored") == taken.good, metrics.failedParts == 0 else {
                throw Failure("a notification was not verified or not stored")
            }
            return latencies
        }
        return figure(
            "99th percentile of the latency of retention messages beside the recorder, over that beside a sink",
            try LatencyComparison(rounds: min(plan.pairs, 7), phases: plan.isFull ? 6 : 2, latencies),
            "\(Self.busyRate) notifications/s")
    }

    // MARK: - Programs

    /// Starts a recorder, or the sink, with an empty store.
    private func recorder(_ kind: RecorderServer.Kind, _ synchronisation: Synchronisation) throws
        -> RecorderServer
    {
        storeCount += 1
        let recorder = try RecorderServer(
            kind, plan, name: "unnoticed", anchors: traffic.anchorFile,
            store: "sqlite:\(plan.workspace.path(of: "unnoticed\(storeCount).db"))",
            environment: synchronisation.environment(plan))
        try recorder.waitUntilOpen(gateway)
        return recorder
    }

    /// Sends retention messages, and returns their latencies.
    private func messages(seconds: Double) throws -> LoadHistogram {
        let file = plan.workspace.path(of: "latencies.txt")
        let load = try Load(
            plan.products + "/load", in: plan.workspace, port: gateway.port, requests: traffic.requestsFile,
            connections: 32, seconds: seconds, ["rate=\(Self.rate)", "first=\(next)", "latencies=\(file)"])
        next += Int(load.good)
        guard load.failed == 0 else { throw Failure("\(load.failed) retention messages failed") }
        guard let latencies = LoadHistogram(text: try Workspace.text(of: file)) else {
            throw Failure("\(file) is not a histogram")
        }
        return latencies
    }

    /// Begins to send notifications, for two seconds longer than `seconds`, and returns when the connections are open: their
    /// handshakes take more processor time than the notifications. With `givesWay`, the load generator runs only while no
    /// other program wants the processor: it stands for Apple's machines, and the side in quiet has no such program.
    private func startNotifications(rate: Int, seconds: Double, connections: Int, givesWay: Bool) throws
        -> Program
    {
        let arguments = Load.arguments(
            in: plan.workspace, port: gateway.port, requests: notifications.requestsFile,
            connections: connections, seconds: seconds + 2,
            ["answer=empty", "rate=\(rate)", "limit=\(NotificationTraffic.count)"])
        let command = [plan.products + "/load"] + arguments
        let load = try Program(
            "notifications", givesWay ? "/usr/bin/chrt" : command[0],
            givesWay ? ["--idle", "0"] + command : arguments, in: plan.workspace)
        Pause.milliseconds(1500)
        return load
    }

    private func figure(_ name: String, _ latency: LatencyComparison, _ remark: String) -> Figure {
        let number = FigureTable.number
        let (subject, reference) = (latency.rounds.subject.median, latency.rounds.reference.median)
        return Figure(
            name,
            latency.rounds.ratios,
            unit: "ratio",
            bar: .atMost(1.2),
            remark: "\(number(subject)) ms over \(number(reference)) ms at \(Self.rate) messages/s; "
                + "\(number(latency.pooledRatio)) of all rounds together; \(remark)"
        )
    }
}
