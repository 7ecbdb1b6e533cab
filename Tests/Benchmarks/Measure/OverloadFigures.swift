internal import BenchmarkStatistics
internal import System

/// Measures what the pool does with more requests than it can answer. The pool and nginx share one core, and the load
/// generator has another one.
final class OverloadFigures {
    private let plan: Plan
    private let traffic: Traffic
    private let bed: OverloadBed

    /// The client connections of the closed loops. Each sends the next request when it has an answer.
    private static let closedLoops = [1_000, 2_000, 4_000]
    /// The client connections of the open loops.
    private static let openConnections = 6_000

    init(_ plan: Plan, _ traffic: Traffic) throws {
        self.plan = plan
        self.traffic = traffic
        bed = try OverloadBed("overload", plan, traffic, rules: try CompiledRules.small(generation: 0))
    }

    func measure() throws -> [Figure] {
        _ = try bed.capacity()
        var figures = try closed()
        figures.append(try fairness())
        figures.append(try refusals())
        for isLimited in [false, true] {
            figures += try [2.0, 4.0].flatMap { try open(times: $0, isLimited: isLimited) }
        }
        if plan.isFull { figures += try reload() }
        return figures
    }

    // MARK: - Closed loops

    private func closed() throws -> [Figure] {
        var failed = [[Double]](repeating: [], count: Self.closedLoops.count)
        var times = [(nginx: Double, worker: Double)](repeating: (0, 0), count: Self.closedLoops.count)
        let loops = Self.closedLoops.indices.map { index in
            { () throws -> Double in
                let load = try self.bed.run(
                    connections: Self.closedLoops[index], seconds: self.plan.isFull ? 10 : 4)
                failed[index].append(load.failed)
                times[index] = self.bed.processorTimes
                return try load.value("goodput")
            }
        }
        let measurements = [{ () throws in try self.bed.capacity() }] + loops
        let values = try Rounds.measure(min(plan.pairs, 5), measurements)
        return try Self.closedLoops.enumerated().flatMap { index, count -> [Figure] in
            guard let sample = PairedSample(subject: values[index + 1], reference: values[0]),
                let failed = Sample(failed[index])
            else { throw Failure("no sample") }
            let number = FigureTable.number
            return [
                Figure(
                    "good answers a second within 600 ms with \(count) client connections, over the capacity",
                    sample.ratios,
                    unit: "ratio",
                    bar: .atLeast(0.95),
                    remark: "\(number(sample.subject.median))/s over \(number(sample.reference.median))/s; "
                        + "processor time in µs: nginx \(number(times[index].nginx)), "
                        + "worker \(number(times[index].worker))"
                ),
                Figure(
                    "requests not answered with 200 with \(count) client connections", worstOf: failed,
                    unit: "requests", bar: .atMost(0)),
            ]
        }
    }

    /// Measures whether requests wait longer on new connections to the pool than on kept ones.
    private func fairness() throws -> Figure {
        let loads = try (0..<min(plan.pairs, 3)).map { _ in
            try bed.run(connections: Self.closedLoops[1], seconds: 4, requests: traffic.mixedRequestsFile)
        }
        guard let sample = Sample(try loads.map { try $0.value("unfair") / 1000 }),
            let spread = Sample(try loads.map { try $0.value("spread") / 1000 })
        else { throw Failure("no sample") }
        return Figure(
            "longest wait on a new connection minus the shortest on a kept one, of requests due within 10 ms",
            worstOf: sample,
            unit: "ms",
            bar: .atMost(100),
            remark: "\(Self.closedLoops[1]) client connections; waits on kept ones alone differ by "
                + "\(FigureTable.number(spread.quantile(1))) ms"
        )
    }

    // MARK: - Open loops

    /// Measures how many requests nginx can refuse by itself. With a value of 3, a refusal costs a third of an answer: of twice
    /// the capacity, the core can answer at most a half, and of four times the capacity it cannot even refuse all.
    private func refusals() throws -> Figure {
        let values = try Rounds.measure(
            min(plan.pairs, 3),
            [{ () throws in try self.bed.refusals() }, { () throws in try self.bed.capacity() }]
        )
        guard let sample = PairedSample(subject: values[0], reference: values[1]) else {
            throw Failure("no sample")
        }
        let number = FigureTable.number
        return Figure(
            "refusals a second of an nginx that refuses all requests itself, over the capacity",
            sample.ratios, unit: "ratio", bar: .reported,
            remark: "\(number(sample.subject.median))/s over \(number(sample.reference.median))/s")
    }

    /// Measures a load above the capacity, then half of the capacity for three seconds. The values are only reported: one core
    /// cannot do both, as ``refusals()`` shows. With `isLimited`, nginx refuses what is above three fifths of the capacity.
    private func open(times factor: Double, isLimited: Bool) throws -> [Figure] {
        var values: [String: [Double]] = [:]
        for _ in 0..<min(plan.pairs, 3) {
            let capacity = try bed.capacity()
            let gateway = isLimited ? try bed.limitedGateway(capacity: capacity) : nil
            let options = ["rate=\(capacity * factor)", "calm_rate=\(capacity / 2)", "calm_seconds=3"]
            let load = try bed.run(
                connections: Self.openConnections, seconds: plan.isFull ? 30 : 6, options, through: gateway)
            for name in ["refused_p99", "good_p99", "calm_p99", "calm_failed"] {
                values[name, default: []].append(try load.value(name))
            }
            values["ratio", default: []].append(try load.value("goodput") / capacity)
        }
        let load = "at \(Int(factor)) times the capacity" + (isLimited ? ", with limit_req" : "")
        func figure(_ name: String, _ key: String, _ unit: String) throws -> Figure {
            let scale = unit == "ms" ? 1000.0 : 1
            guard let sample = Sample((values[key] ?? []).map { $0 / scale }) else {
                throw Failure("no sample")
            }
            guard unit != "requests" else {
                return Figure("\(name) \(load)", worstOf: sample, unit: unit, bar: .reported)
            }
            return Figure("\(name) \(load)", sample, unit: unit, bar: .reported)
        }
        return [
            try figure("good answers a second within 600 ms, over the capacity,", "ratio", "ratio"),
            try figure("99th percentile of the latency of refusals", "refused_p99", "ms"),
            try figure("99th percentile of the latency of good answers", "good_p99", "ms"),
            try figure("99th percentile of the latency from a second after the end on,", "calm_p99", "ms"),
            try figure("requests not answered with 200 from then on,", "calm_failed", "requests"),
        ]
    }

    // MARK: - Reload

    /// Measures a closed loop while facts of 600 MB are reloaded.
    private func reload() throws -> [Figure] {
        let rowCount = 30_000_000
        let facts = { generation in
            try FactsReload.facts(generation: generation, rowCount: rowCount, in: self.plan.workspace)
        }
        let bed = try OverloadBed(
            "overload-facts", plan, traffic, rules: FactsReload.rules(), facts: facts(0))
        let calm = try bed.run(connections: Self.closedLoops[1], seconds: 10)
        try bed.pool.replace(facts: facts(1))
        let load = try bed.run(
            connections: Self.closedLoops[1], seconds: 30,
            ["hup=\(bed.pool.supervisor)", "hup_at=1", "old=\(RulesSource.message(of: 0))"])
        guard load.firstNew > 0 else { throw Failure("a reload was refused; " + bed.pool.logEnd()) }
        let seconds = FigureTable.number(max(load.lastOld, load.firstNew) / 1e6)
        return [
            Figure(
                "good answers a second within 600 ms while facts of 600 MB are reloaded, over those without",
                value: try load.value("goodput") / calm.value("goodput"), unit: "ratio", bar: .reported,
                remark: "\(Self.closedLoops[1]) client connections; the reload took \(seconds) s of 30"),
            Figure(
                "requests not answered with 200 while facts of 600 MB are reloaded", value: load.failed,
                unit: "requests", bar: .reported, remark: "of \(Int(load.good + load.failed))"),
        ]
    }
}
