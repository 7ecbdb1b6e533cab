internal import BenchmarkStatistics
internal import System

/// Measures a HUP with a facts file of a gigabyte, under load.
struct FactsReload {
    private let plan: Plan
    private let traffic: Traffic
    /// About 20 bytes a row.
    private static let rowCount = 50_000_000
    private static let rounds = 3

    init(_ plan: Plan, _ traffic: Traffic) {
        self.plan = plan
        self.traffic = traffic
    }

    /// Returns rules that choose the message by the plan in the facts. All subscribers have the same plan: annual in
    /// odd generations, monthly in even generations.
    static func rules() -> [UInt8] {
        let messages = RulesSource.messages.enumerated().map { index, identifier in
            #""message_\#(index)": { "kind": "text", "ids": { "en-US": "\#(identifier)" } }"#
        }
        return Array(
            #"""
            { "format": 1, "app": { "appAppleId": \#(Traffic.appAppleId), "bundleId": "\#(Traffic.bundleId)" },
              "environment": "Sandbox", "locales": { "last": "en-US" }, "facts": { "plan": "string" },
              "messages": { \#(messages.joined(separator: ", ")) },
              "rules": [ { "id": "annual", "when": { "fact": "plan", "eq": "annual" },
                           "serve": { "message": "message_1" } } ],
              "default": { "serve": { "message": "message_0" } } }
            """#.utf8)
    }

    private func facts(generation: Int) throws -> String {
        try Self.facts(generation: generation, rowCount: Self.rowCount, in: plan.workspace)
    }

    /// Writes the facts file of a generation and returns its path.
    static func facts(generation: Int, rowCount: Int, in workspace: Workspace) throws -> String {
        let path = workspace.path(of: "generation.facts")
        try FactsMaking.write(
            rowCount: rowCount, to: path, keyStep: 1,
            plan: generation % 2 == 1 ? "annual" : "monthly")
        return path
    }

    func measure() throws -> [Figure] {
        let path = try facts(generation: 0)
        let byteCount = try FileStatus(path: path).byteCount
        let pool = try Pool(
            plan, name: "facts-pool", anchors: traffic.anchorFile, rules: Self.rules(), facts: path)
        let gateway = try Gateway("facts-nginx", plan, socket: pool.socket, upstream: .shipped)
        let server = Server(gateway, plan, requests: traffic.requestsFile) { try pool.workers() }
        defer {
            gateway.stop()
            pool.stop()
        }
        let rate = try server.saturate(seconds: 3, first: 0).load.rate / 2
        var times: [Double] = []
        var steady: [Double] = []
        var during: [Double] = []
        var failed = 0.0
        var seconds = 30.0
        // The first round shows how long a reload takes. The times vary, so the other rounds get more than twice that
        // time.
        for round in 0...Self.rounds {
            let calm = try server.run(connections: 32, seconds: 4, ["rate=\(rate)"])
            try pool.replace(facts: facts(generation: round + 1))
            let before = try pool.workers()
            let load = try server.run(
                connections: 32,
                seconds: seconds,
                [
                    "rate=\(rate)", "hup=\(pool.supervisor)", "hup_at=0.1",
                    "old=\(RulesSource.message(of: round))",
                ]
            )
            guard load.firstNew > 0 else {
                throw Failure("a reload was refused or took longer than \(seconds) s; " + pool.logEnd())
            }
            try pool.wait(untilGone: before)
            failed += calm.failed + load.failed
            let time = max(load.lastOld, load.firstNew) / 1e6
            if round > 0 {
                times.append(time)
                steady.append(calm.p99 / 1000)
                during.append(load.reloadP99 / 1000)
            }
            seconds = max(seconds / 2, 2 * time + 1)
        }
        return try figures(times, steady: steady, during: during, failed: failed, byteCount, rate: rate)
    }

    private func figures(
        _ times: [Double], steady: [Double], during: [Double], failed: Double, _ byteCount: Int, rate: Double
    ) throws -> [Figure] {
        guard let time = Sample(times), let ratio = PairedSample(subject: during, reference: steady) else {
            throw Failure("no sample")
        }
        let number = FigureTable.number
        return [
            Figure(
                "time of a reload with facts, from kill(2) until all workers answer from them", time,
                unit: "s", bar: .reported,
                remark: "\(number(Double(byteCount) / 1e9)) GB, \(Self.rowCount / 1_000_000) million rows"),
            Figure(
                "99th percentile of the latency during that reload, over that before it",
                ratio.ratios,
                unit: "ratio",
                bar: .atMost(2),
                remark: "\(number(ratio.subject.median)) ms over \(number(ratio.reference.median)) ms at "
                    + "\(number(rate)) requests/s"
            ),
            Figure(
                "requests not answered with 200 before and during that reload", value: failed,
                unit: "requests", bar: .atMost(0)),
        ]
    }
}
