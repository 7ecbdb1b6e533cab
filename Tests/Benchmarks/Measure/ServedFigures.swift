internal import JSON
internal import System

/// Measures the figures for which requests go through nginx.
final class ServedFigures {
    private let plan: Plan
    private let traffic: Traffic
    private let pool: Pool
    private let server: Server
    private var next = 0

    /// Starts the pool behind its own nginx.
    init(_ plan: Plan, _ traffic: Traffic) throws {
        self.plan = plan
        self.traffic = traffic
        pool = try Pool(plan, anchors: traffic.anchorFile, rules: try RulesSource.small())
        let running = pool
        server = Server(
            try Gateway("nginx", plan, socket: pool.socket), plan, requests: traffic.requestsFile
        ) { try running.workers() }
    }

    func measure() throws -> [Figure] {
        defer {
            server.gateway.stop()
            pool.stop()
        }
        _ = try server.saturate(seconds: 0.5, first: 0)
        var figures: [Figure] = []
        if plan.wants("rate") { figures += try saturate() }
        if plan.wants("reload") { figures.append(try reload()) }
        if plan.wants("delay") { figures.append(try delay()) }
        if plan.wants("flood") { figures.append(try flood()) }
        if plan.wants("memory") { figures.append(try memory()) }
        return figures
    }

    private func run(_ server: Server) throws -> (load: Load, worker: Double) {
        let run = try server.saturate(seconds: 2, first: next)
        guard run.load.failed == 0 else { throw Failure("\(run.load.failed) requests failed") }
        next += Int(run.load.good)
        return run
    }

    private func saturate() throws -> [Figure] {
        let bare = try BareVerification(bodies: traffic.bodiesFile, leaf: traffic.leafFile)
        let responder = try Floor(plan, leaf: traffic.leafFile)
        // libfcgi holds a thread for each kept connection, so the floor has new connections.
        let floor = Server(
            try Gateway("floor-nginx", plan, socket: responder.socket, keepsConnections: false), plan,
            requests: traffic.requestsFile
        ) { try responder.workers() }
        defer { floor.gateway.stop() }
        _ = try floor.saturate(seconds: 0.5, first: 0)
        var workers: [Double] = []
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in
                    let run = try self.run(self.server)
                    workers.append(run.worker)
                    return run.load.rate
                },
                { () throws in try self.run(floor).load.rate },
                { () throws in try bare.microseconds(first: self.next, count: 4096) },
            ]
        )
        return try [
            Figure(
                "processor time of a worker behind nginx, over one bare signature check", workers,
                over: values[2],
                of: "µs", bar: .atMost(1.35)),
            Figure(
                "requests per second, over those of the C responder", values[0], over: values[1], of: "/s",
                bar: .atLeast(1.3)),
        ]
    }

    private func reload() throws -> Figure {
        var times: [Double] = []
        var byteCount = 0
        // The first round brings the large file; only the other rounds are measured.
        for generation in 1...plan.pairs + 1 {
            let rules = try RulesSource.large(generation: generation)
            byteCount = rules.count
            let old = RulesSource.message(of: generation - 1)
            let time = try server.reload(pool, rules: rules, old: old, seconds: 2)
            if generation > 1 { times.append(time) }
        }
        return try Figure(
            "time of a reload, from kill(2) until the last worker has switched", times, unit: "ms",
            bar: .atMost(250), remark: "\(byteCount) bytes of rules, 1000 requests/s")
    }

    private func delay() throws -> Figure {
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in try self.server.p99(hangups: self.pool.supervisor) },
                { () throws in try self.server.p99(hangups: nil) },
            ])
        return try Figure(
            "delay of 99 of 100 requests with a HUP every 100 ms, over that without", values[0],
            over: values[1],
            of: "ms", bar: .atMost(1.5))
    }

    private func flood() throws -> Figure {
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in try self.server.p99(flooded: true) },
                { () throws in try self.server.p99(flooded: false) },
            ])
        return try Figure(
            "delay of 99 of 100 requests from Apple's network in a flood of two addresses, over that in quiet",
            values[0], over: values[1], of: "ms", bar: .atMost(1.5))
    }

    /// Measures the present workers after 100,000 requests to each of them.
    private func memory() throws -> Figure {
        let workers = try pool.workers()
        let last = next + 100_000 * workers.count
        while next < last { _ = try run(server) }
        guard try pool.workers().sorted() == workers.sorted() else { throw Failure("a worker was replaced") }
        let sizes = try workers.map { try ProcessTable.privateBytes(of: $0) / 1_048_576 }
        return try Figure(
            "private memory of a worker after 100,000 requests", [sizes.max() ?? 0], unit: "MiB",
            bar: .atMost(3),
            remark: "\(workers.count) workers")
    }

    // MARK: - Decision records

    /// Compares the workers of a pool that writes decision records with those of a pool that writes none. Both have their
    /// load in turn and on the same core, and new workers in each round: one process can be some percent slower than another
    /// for as long as it lives.
    static func records(_ plan: Plan, _ traffic: Traffic) throws -> Figure {
        func server(_ name: String, _ settings: [(String, JSONNode)]) throws -> (pool: Pool, server: Server) {
            let pool = try Pool(
                plan, name: name, anchors: traffic.anchorFile, rules: try RulesSource.small(), core: 0,
                settings: settings)
            let gateway = try Gateway("\(name)-nginx", plan, socket: pool.socket, core: 0)
            return (pool, Server(gateway, plan, requests: traffic.requestsFile) { try pool.workers() })
        }
        let file = JSONNode.string(plan.workspace.path(of: "records.ndjson"))
        let servers = [
            try server("records", [("log", .object([("decisions", file)]))]), try server("quiet", []),
        ]
        defer {
            for (pool, server) in servers {
                server.gateway.stop()
                pool.stop()
            }
        }
        let values = try Rounds.measure(
            2 * plan.pairs,
            servers.map { pool, server in
                { () throws in
                    try pool.renewWorkers()
                    return try server.saturate(seconds: 1, first: 0, core: ProcessorCount.usable > 1 ? 1 : 0)
                        .worker
                }
            }
        )
        return try Figure(
            "processor time of a worker for a request with records, over that without", values[0],
            over: values[1],
            of: "µs", bar: .atMost(1.06))
    }
}
