internal import BenchmarkStatistics
internal import Endpoints
internal import FastCGI
internal import JSON
internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// Measures what metrics and decision records cost, and how long a scrape takes.
struct MetricFigures {
    let plan: Plan
    let traffic: Traffic

    func measure() throws -> [Figure] { try counting() + [try scrape()] }

    // MARK: - The cost of a request

    /// Compares the workers of a pool that counts and writes decision records with those of a pool that writes none. What
    /// counting costs is measured alone and taken away from the latter, because it cannot be switched off. Both pools have
    /// their load at the same time and on the same core, and new workers in each round.
    private func counting() throws -> [Figure] {
        guard ProcessorCount.usable > 1 else { throw Failure("metrics need two processors") }
        func server(_ name: String, _ settings: [(String, JSONNode)]) throws -> (pool: Pool, server: Server) {
            let rules = try CompiledRules.small(generation: 0)
            let pool = try Pool(
                plan, name: name, anchors: traffic.anchorFile, rules: rules, core: 0, settings: settings)
            let gateway = try Gateway("\(name)-nginx", plan, socket: pool.socket, upstream: .shipped, core: 0)
            return (pool, Server(gateway, plan, requests: traffic.requestsFile) { try pool.workers() })
        }
        let with = try server("records", [recordsSetting("records.ndjson")])
        let without = try server("quiet", [])
        defer {
            for running in [with, without] {
                running.server.gateway.stop()
                running.pool.stop()
            }
        }
        let counted = try Self.countingMicroseconds()
        var values = (with: [Double](), without: [Double]())
        for round in 0..<4 * plan.pairs {
            // The pool and the load that are first differ from round to round: the one has older workers, and the other has the
            // machine for itself for a moment.
            let servers = [with.server, without.server]
            let pools = [with.pool, without.pool]
            let isFirst = round % 2 == 0
            for pool in round % 4 < 2 ? pools : pools.reversed() { try pool.renewWorkers() }
            let times = try Server.workersTogether(isFirst ? servers : servers.reversed(), seconds: 1)
            values.with.append(isFirst ? times[0] : times[1])
            values.without.append((isFirst ? times[1] : times[0]) - counted)
        }
        guard let both = PairedSample(subject: values.with, reference: values.without),
            let metrics = PairedSample(
                subject: values.without.map { $0 + counted },
                reference: values.without
            )
        else { throw Failure("no sample") }
        func figure(_ what: String, _ sample: PairedSample, bar: Double) -> Figure {
            Figure(
                "processor time of a worker for a request with \(what), over that without",
                sample.ratios,
                unit: "ratio",
                bar: .atMost(bar),
                remark: FigureTable.number(sample.subject.median) + " µs over "
                    + FigureTable.number(sample.reference.median) + " µs"
            )
        }
        return [figure("metrics", metrics, bar: 1.03), figure("metrics and records", both, bar: 1.06)]
    }

    /// Returns the processor time of everything that a worker counts for one request.
    private static func countingMicroseconds() throws -> Double {
        let counters = try SharedCounters(codes: RequestObserver.codes, startedAt: 0)
        guard let slot = counters.claimWorker(generation: 1, atMilliseconds: 0),
            let row = counters.claimDecisionRow(DecisionRowKey(appAppleId: 1, environment: "Production"))
        else { throw Failure("no row") }
        let count = 200_000
        let start = Clock.threadProcessorNanoseconds()
        for number in 0..<UInt64(count) {
            // Each phase reads the clock.
            for phase in RequestPhase.allCases {
                counters.observe(phase, nanoseconds: 1000 + (Clock.monotonicNanoseconds() & 1023))
            }
            counters.add(.requests)
            counters.setWorker(slot, .busy)
            counters.addDecision(row: row, reason: 0)
            counters.addPassedOver(row: row, 1)
            counters.add(.answersDecided)
            counters.add(.rulesOutsideWindow)
            counters.add(.chainCacheHits)
            counters.note(clockOffset: -Int64(number & 255), atMilliseconds: Int64(number))
            counters.finishRequest(worker: slot, microseconds: 90)
            counters.setWorker(slot, .idle)
            counters.noteTurn(worker: slot, atNanoseconds: number)
        }
        return Double(Clock.threadProcessorNanoseconds() - start) / Double(count) / 1000
    }

    /// Makes a handler in this process, with the configuration that a pool of this name would have.
    private func handler(_ name: String, _ counters: SharedCounters) throws -> EndpointHandler {
        let pool = try Pool(
            plan, name: name, anchors: traffic.anchorFile, rules: try CompiledRules.small(generation: 0))
        pool.stop()
        let generation = try Generation(loadingConfigurationAt: plan.workspace.path(of: "\(name).json"))
        let observer = RequestObserver(
            counters: counters, logger: Logger(label: "benchmark"),
            slot: counters.claimWorker(generation: 1, atMilliseconds: 0), slowMilliseconds: 0)
        return try EndpointHandler(generation: generation, observer: observer)
    }

    /// Returns the setting that makes a pool write decision records into a file of the workspace.
    private func recordsSetting(_ name: String) -> (String, JSONNode) {
        ("log", .object([("decisions", .string(plan.workspace.path(of: name)))]))
    }

    // MARK: - A scrape

    /// Measures a scrape when all rows of decisions are taken.
    private func scrape() throws -> Figure {
        let counters = try SharedCounters(codes: RequestObserver.codes, startedAt: Clock.wallMilliseconds())
        let handler = try handler("scraped", counters)
        var number = 0
        while counters.usedDecisionRowCount < SharedCounters.decisionRowCount {
            let key = DecisionRowKey(appAppleId: 1, environment: "Production", rule: "rule-number-\(number)")
            if let row = counters.claimDecisionRow(key) { counters.addDecision(row: row, reason: 0) }
            number += 1
        }
        var byteCount = 0
        func milliseconds() throws -> Double {
            var request = InProcessRequest(["RETENTION_ENDPOINT": "metrics", "REQUEST_METHOD": "GET"])
            let start = Clock.threadProcessorNanoseconds()
            let answer = handler.answer(&request)
            let taken = Clock.threadProcessorNanoseconds() - start
            guard answer.status == 200 else { throw Failure("no metrics") }
            byteCount = answer.body.count
            return Double(taken) / 1_000_000
        }
        let first = try milliseconds()
        guard let sample = Sample(try (0..<max(9, plan.pairs)).map { _ in try milliseconds() }) else {
            throw Failure("no sample")
        }
        return Figure(
            "processor time of a scrape with \(counters.usedDecisionRowCount) rows of decisions", sample,
            unit: "ms", bar: .atMost(5),
            remark: "\(byteCount) bytes; the first scrape \(FigureTable.number(first)) ms")
    }
}
