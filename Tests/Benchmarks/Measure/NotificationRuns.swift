internal import System

/// Sends notifications through nginx with TLS to recorders, each with an empty store of its own.
final class NotificationRuns {
    /// The result of one run.
    struct Run {
        let load: Load
        /// Microseconds of processor time of the recorder for each notification.
        let recorder: Double
        /// The same of nginx.
        let nginx: Double
        let metrics: RecorderMetrics
        /// The same of the load generator.
        var client: Double { load.client / load.good }
    }

    static let connections = 64
    private let plan: Plan
    private let traffic: Traffic
    private let notifications: NotificationTraffic
    private let gateway: Gateway

    /// Starts nginx.
    init(_ plan: Plan, _ traffic: Traffic, _ notifications: NotificationTraffic) throws {
        self.plan = plan
        self.traffic = traffic
        self.notifications = notifications
        gateway = try Gateway(
            "notifications-nginx", plan, socket: plan.workspace.path(of: "none.sock"),
            recorder: RecorderServer.socket(of: "recorder", in: plan.workspace))
    }

    /// Starts a recorder with an empty store and runs the load generator.
    ///
    /// - Parameters:
    ///   - bed: the system of the store.
    ///   - synchronisation: how the store's files are synchronised.
    ///   - batchCount: the most notifications of one commit; nil for the default.
    ///   - seconds: the duration of the load.
    ///   - options: further options of the load generator.
    /// - Returns: the measured run, in which each good answer is a new row.
    /// - Throws: the reason why the run does not count.
    func run(
        _ bed: any StoreBed, _ synchronisation: Synchronisation, batchCount: Int64? = nil,
        seconds: Double = 2, _ options: [String] = []
    ) throws -> Run {
        let store = try bed.make(synchronisation)
        let recorder = try RecorderServer(
            .recorder, plan, anchors: traffic.anchorFile, store: store.address, batchCount: batchCount,
            environment: store.environment)
        defer { recorder.stop() }
        try recorder.waitUntilOpen(gateway)
        let workers = try gateway.workers()
        let before = (
            recorder: try recorder.processorNanoseconds(),
            nginx: try ProcessTable.processorNanoseconds(of: workers)
        )
        let load = try Load(
            plan.products + "/load", in: plan.workspace, port: gateway.port,
            requests: notifications.requestsFile, connections: Self.connections, seconds: seconds,
            ["answer=empty", "limit=\(NotificationTraffic.count)"] + options)
        let run = Run(
            load: load, recorder: (try recorder.processorNanoseconds() - before.recorder) / load.good / 1000,
            nginx: (try ProcessTable.processorNanoseconds(of: workers) - before.nginx) / load.good / 1000,
            metrics: try RecorderMetrics(gateway))
        try check(run)
        return run
    }

    /// Throws when an answer was not about a new row, or when a signed part was not verified.
    private func check(_ run: Run) throws {
        let stored = run.metrics.notifications("stored")
        guard stored == run.load.good, run.metrics.notifications("already_there") == 0,
            run.metrics.failedParts == 0
        else {
            throw Failure(
                "\(run.load.good) good answers, \(stored) stored, \(run.metrics.failedParts) failed parts"
            )
        }
    }
}
