internal import BenchmarkStatistics
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
    /// Notifications a second while the store hangs. Each is parked for five seconds, and then answered with 503.
    private static let hangingRate = 50
    /// Notifications a second in the comparison with the sink.
    private static let busyRate = 1000

    /// Starts the pool and nginx.
    init(_ plan: Plan, _ traffic: Traffic, _ notifications: NotificationTraffic) throws {
        self.plan = plan
        self.traffic = traffic
        self.notifications = notifications
        pool = try Pool(
            plan,
            name: "unnoticed-pool",
            anchors: traffic.anchorFile,
            rules: try CompiledRules.small(generation: 0)
        )
        gateway = try Gateway(
            "unnoticed-nginx",
            plan,
            socket: pool.socket,
            recorder: RecorderServer.socket(of: "unnoticed", in: plan.workspace)
        )
    }

    func measure() throws -> [Figure] {
        _ = try messages(seconds: 1)
        return [try hanging(), try busy()]
    }

    // MARK: - A store that hangs

    private func hanging() throws -> Figure {
        let seconds = plan.isFull ? 60.0 : 10.0
        let holder = plan.workspace.path(of: "holder")
        var refusedCount = 0.0
        /// Measures with a recorder whose store is idle, or hangs while notifications come.
        func p99(hangs: Bool) throws -> Double {
            let recorder = try recorder(.recorder, .held(by: holder))
            defer { recorder.stop() }
            guard hangs else { return try messages(seconds: seconds).p99 / 1000 }
            try plan.workspace.write("", to: "holder")
            defer { try? Directory.removeFile(path: holder) }
            let load = try startNotifications(rate: Self.hangingRate, seconds: seconds, connections: 320)
            let p99 = try messages(seconds: seconds).p99 / 1000
            let notifications = try Load(line: load.finish())
            guard notifications.good == 0, notifications.failed > 0 else {
                throw Failure("\(notifications.good) notifications were stored while the store hung")
            }
            refusedCount += notifications.failed
            return p99
        }
        let values = try Rounds.measure(
            min(plan.pairs, 3),
            [{ () throws in try p99(hangs: true) }, { () throws in try p99(hangs: false) }]
        )
        return try figure(
            "99th percentile of the latency of retention messages while the store hangs, over that in quiet",
            values,
            "\(Self.hangingRate) notifications/s; \(Int(refusedCount)) were answered with 503"
        )
    }

    // MARK: - Many notifications

    private func busy() throws -> Figure {
        func p99(_ kind: RecorderServer.Kind) throws -> Double {
            let recorder = try recorder(kind, .real)
            defer { recorder.stop() }
            let seconds = 4.0
            let load = try startNotifications(rate: Self.busyRate, seconds: seconds, connections: 64)
            let p99 = try messages(seconds: seconds).p99 / 1000
            let taken = try Load(line: load.finish())
            guard taken.failed + taken.unsent == 0 else {
                throw Failure("\(taken.failed) notifications failed, \(taken.unsent) were not sent")
            }
            let metrics = try RecorderMetrics(gateway)
            guard metrics.notifications("stored") == taken.good, metrics.failedParts == 0 else {
                throw Failure("a notification was not verified or not stored")
            }
            return p99
        }
        let values = try Rounds.measure(
            min(plan.pairs, 7),
            [{ () throws in try p99(.recorder) }, { () throws in try p99(.sink) }]
        )
        return try figure(
            "99th percentile of the latency of retention messages beside the recorder, over that beside a sink",
            values,
            "\(Self.busyRate) notifications/s"
        )
    }

    // MARK: - Programs

    /// Starts a recorder, or the sink, with an empty store.
    private func recorder(
        _ kind: RecorderServer.Kind,
        _ synchronisation: Synchronisation
    ) throws -> RecorderServer {
        storeCount += 1
        let recorder = try RecorderServer(
            kind,
            plan,
            name: "unnoticed",
            anchors: traffic.anchorFile,
            store: "sqlite:\(plan.workspace.path(of: "unnoticed\(storeCount).db"))",
            environment: synchronisation.environment(plan)
        )
        try recorder.waitUntilOpen(gateway)
        return recorder
    }

    /// Sends retention messages.
    private func messages(seconds: Double) throws -> Load {
        let load = try Load(
            plan.products + "/load",
            in: plan.workspace,
            port: gateway.port,
            requests: traffic.requestsFile,
            connections: 32,
            seconds: seconds,
            ["rate=\(Self.rate)", "first=\(next)"]
        )
        next += Int(load.good)
        guard load.failed == 0 else { throw Failure("\(load.failed) retention messages failed") }
        return load
    }

    /// Begins to send notifications, for two seconds longer than `seconds`, and returns when the connections are open: their
    /// handshakes take more processor time than the notifications.
    private func startNotifications(rate: Int, seconds: Double, connections: Int) throws -> Program {
        let arguments = Load.arguments(
            in: plan.workspace,
            port: gateway.port,
            requests: notifications.requestsFile,
            connections: connections,
            seconds: seconds + 2,
            ["answer=empty", "rate=\(rate)", "limit=\(NotificationTraffic.count)"]
        )
        let load = try Program("notifications", plan.products + "/load", arguments, in: plan.workspace)
        Pause.milliseconds(1500)
        return load
    }

    private func figure(_ name: String, _ values: [[Double]], _ remark: String) throws -> Figure {
        guard let sample = PairedSample(subject: values[0], reference: values[1]) else {
            throw Failure("no sample")
        }
        let number = FigureTable.number
        return Figure(
            name,
            sample.ratios,
            unit: "ratio",
            bar: .atMost(1.2),
            remark: "\(number(sample.subject.median)) ms over \(number(sample.reference.median)) ms at "
                + "\(Self.rate) messages/s; \(remark)"
        )
    }
}
