internal import BenchmarkStatistics
internal import System

/// Measures the figures for which requests go through nginx.
final class ServedFigures {
    private let plan: Plan
    private let pool: Pool
    private let server: Server
    private let floor: Server
    private let keptFloor: Server
    private let bare: BareVerification
    private var generation = 0
    /// The number of requests that the pool has answered with 200, and the number of all other requests.
    private var good = 0.0
    private var failed = 0.0
    private var next = 0

    /// Starts the pool and the C responder, each behind its own nginx.
    init(_ plan: Plan, _ traffic: Traffic) throws {
        self.plan = plan
        bare = try BareVerification(bodies: traffic.bodiesFile, leaf: traffic.leafFile)
        pool = try Pool(plan, anchors: traffic.anchorFile, rules: try CompiledRules.small(generation: 0))
        let running = pool
        server = Server(
            try Gateway("nginx", plan, socket: pool.socket, upstream: .shipped), plan,
            requests: traffic.requestsFile
        ) { try running.workers() }
        floor = try Self.floor("floor", plan, traffic, threads: 1, .newConnection)
        // libfcgi holds a thread for each kept connection; here nginx keeps at most one connection for each client
        // connection.
        keptFloor = try Self.floor("floor-kept", plan, traffic, threads: 32, .shipped)
    }

    /// Measures all figures and returns them in the order of the table.
    func measure() throws -> [Figure] {
        for server in [server, floor, keptFloor] { _ = try server.saturate(seconds: 0.5, first: 0) }
        var figures: [Figure] = []
        var rate = 0.0
        if plan.wants("rate") {
            let saturated = try saturate()
            figures += saturated.figures
            rate = saturated.rate
        }
        if plan.wants("delay") {
            if rate == 0 { rate = try server.saturate(seconds: 4, first: next).load.rate }
            figures += try delays(halfRate: rate / 2)
        }
        if plan.wants("reload") { figures.append(try reload()) }
        if plan.wants("memory") { figures.append(try memory()) }
        return figures + [failures()]
    }

    func stop() {
        for server in [server, floor, keptFloor] { server.gateway.stop() }
        pool.stop()
    }

    private static func floor(
        _ name: String, _ plan: Plan, _ traffic: Traffic, threads: Int, _ upstream: Gateway.Upstream
    ) throws -> Server {
        let floor = try Floor(
            name, plan.tools + "/responder", leaf: traffic.leafFile, threads: threads, in: plan.workspace)
        let gateway = try Gateway(name + "-nginx", plan, socket: floor.socket, upstream: upstream)
        return Server(gateway, plan, requests: traffic.requestsFile) { try floor.workers() }
    }

    // MARK: - Saturated

    private func saturate() throws -> (figures: [Figure], rate: Double) {
        var runs: [[Server.Run]] = [[], [], []]
        func run(_ server: Server, _ index: Int) throws -> Double {
            let run = try server.saturate(seconds: 2, first: next)
            runs[index].append(run)
            if index == 0 { count(run.load) }
            return run.load.rate
        }
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in try run(self.server, 0) },
                { () throws in try run(self.floor, 1) },
                { () throws in try run(self.keptFloor, 2) },
                { () throws in try self.bare.microseconds(first: self.next, count: 4096) },
            ]
        )
        let workers = runs[0].map(\.worker)
        guard let cost = PairedSample(subject: workers, reference: values[3]),
            let rate = PairedSample(subject: values[0], reference: values[1]),
            let keptRate = PairedSample(subject: values[0], reference: values[2])
        else { throw Failure("no sample") }
        let number = FigureTable.number
        func split(_ index: Int) -> String {
            let nginx = Sample(runs[index].map(\.nginx))?.median ?? 0
            let worker = Sample(runs[index].map(\.worker))?.median ?? 0
            let client = Sample(runs[index].map(\.client))?.median ?? 0
            let parts = "nginx \(number(nginx)), worker \(number(worker)), client \(number(client))"
            return "processor time in µs: \(parts)"
        }
        let figures = [
            Figure(
                "processor time of a worker behind nginx, over one bare signature check", cost.ratios,
                unit: "ratio", bar: .atMost(1.5),
                remark: "\(number(cost.subject.median)) µs over \(number(cost.reference.median)) µs"),
            Figure(
                "requests per second, over those of the C responder with new connections", rate.ratios,
                unit: "ratio", bar: .atLeast(1),
                remark: "\(number(rate.subject.median))/s over \(number(rate.reference.median))/s"),
            Figure(
                "requests per second, over those of the C responder with kept connections", keptRate.ratios,
                unit: "ratio", bar: .reported,
                remark: "\(number(keptRate.subject.median))/s over \(number(keptRate.reference.median))/s"),
            Figure("requests per second", rate.subject, unit: "requests/s", bar: .reported, remark: split(0)),
            Figure(
                "requests per second of the C responder with new connections", rate.reference,
                unit: "requests/s", bar: .reported, remark: split(1)),
            Figure(
                "requests per second of the C responder with kept connections", keptRate.reference,
                unit: "requests/s", bar: .reported, remark: split(2)),
        ]
        return (figures, rate.subject.median)
    }

    // MARK: - Delays

    private func delays(halfRate rate: Double) throws -> [Figure] {
        var hups = 0.0
        func p99(_ options: [String]) throws -> Double {
            let load = try server.run(
                connections: 32, seconds: 4, ["rate=\(rate)", "first=\(next)"] + options)
            count(load)
            hups += load.hups
            return load.p99 / 1000
        }
        let reloads = ["hup=\(pool.supervisor)", "hup_every=0.1", "hup_at=0.05"]
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in
                    // The last signal's reload may begin a second later.
                    defer { Pause.milliseconds(1200) }
                    return try p99(reloads)
                }, { () throws in try p99([]) },
            ]
        )
        guard let sample = PairedSample(subject: values[0], reference: values[1]) else {
            throw Failure("no sample")
        }
        let remark = "at \(FigureTable.number(rate)) requests/s, from the moment a request was due"
        return [
            Figure(
                "99th percentile of the latency at half of the greatest rate", sample.reference, unit: "ms",
                bar: .reported, remark: remark),
            Figure(
                "99th percentile of the latency at that rate, with a HUP every 100 ms", sample.subject,
                unit: "ms", bar: .reported,
                remark: "\(Int(hups)) signals; all signals of one second make one reload"),
            Figure(
                "99th percentile of the latency with HUPs, over that without", sample.ratios, unit: "ratio",
                bar: .atMost(1.5)),
        ]
    }

    // MARK: - Reload and memory

    private func reload() throws -> Figure {
        var times: [Double] = []
        var byteCount = 0
        // The first round brings the large file; only the other rounds are measured.
        for round in 0...plan.pairs {
            // Reloads begin at least a second apart, and the signals before this round may have caused one. After this
            // pause the measured reload begins at once.
            Pause.milliseconds(1200)
            let old = RulesSource.message(of: generation)
            generation += 1
            let rules = try CompiledRules.large(generation: generation)
            byteCount = rules.count
            let before = try pool.workers()
            try pool.replace(rules: rules)
            let load = try server.run(
                seconds: 0.8, ["rate=1000", "hup=\(pool.supervisor)", "hup_at=0.2", "old=\(old)"])
            count(load)
            guard load.firstNew > 0 else { throw Failure("a reload was refused or took longer than 0.6 s") }
            try pool.wait(untilGone: before)
            if round > 0 { times.append(max(load.lastOld, load.firstNew) / 1000) }
        }
        guard let sample = Sample(times) else { throw Failure("no sample") }
        return Figure(
            "time of a reload, from kill(2) until the last worker has switched",
            sample,
            unit: "ms",
            bar: .atMost(250),
            remark:
                "\(byteCount) bytes of rules, 1000 requests/s; greatest \(FigureTable.number(sample.quantile(1))) ms"
        )
    }

    /// Measures workers that the last reload has started, after 100,000 requests to each of them.
    private func memory() throws -> Figure {
        let workers = try pool.workers()
        let wanted = 100_000.0 * Double(workers.count)
        let before = good
        while good - before < wanted { count(try server.saturate(seconds: 2, first: next).load) }
        guard try pool.workers().sorted() == workers.sorted() else { throw Failure("a worker was replaced") }
        let sizes = try workers.map { try ProcessTable.privateBytes(of: $0) / 1_048_576 }
        return Figure(
            "private memory of a worker after 100,000 requests", value: sizes.max() ?? 0, unit: "MiB",
            bar: .atMost(12), remark: "\(workers.count) workers, \(Int(good - before)) requests")
    }

    /// Adds the result of a run of the pool to the counts. The next run begins with another payload.
    private func count(_ load: Load) {
        good += load.good
        failed += load.failed
        next += Int(load.good)
    }

    /// Reports all failed requests of the runs under load, with and without reloads.
    private func failures() -> Figure {
        Figure(
            "requests not answered with 200", value: failed, unit: "requests", bar: .atMost(0),
            remark: "of \(Int(good + failed)) in all runs")
    }
}
