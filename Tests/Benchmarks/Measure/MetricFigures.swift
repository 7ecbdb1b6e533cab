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
    /// counting costs is measured alone and taken away from the latter, because it cannot be switched off.
    private func counting() throws -> [Figure] {
        func server(_ name: String, _ settings: [(String, JSONNode)]) throws -> (pool: Pool, server: Server) {
            let rules = try CompiledRules.small(generation: 0)
            let pool = try Pool(
                plan,
                name: name,
                anchors: traffic.anchorFile,
                rules: rules,
                settings: settings
            )
            let gateway = try Gateway("\(name)-nginx", plan, socket: pool.socket, upstream: .shipped)
            return (pool, Server(gateway, plan, requests: traffic.requestsFile) { try pool.workers() })
        }
        let log = JSONNode.object([("decisions", .string(plan.workspace.path(of: "records.ndjson")))])
        let with = try server("records", [("log", log)])
        let without = try server("quiet", [])
        defer {
            for running in [with, without] {
                running.server.gateway.stop()
                running.pool.stop()
            }
        }
        let counted = try Self.countingMicroseconds()
        let values = try Rounds.measure(
            plan.pairs,
            [
                { () throws in try with.server.saturate(seconds: 2, first: 0).worker },
                { () throws in try without.server.saturate(seconds: 2, first: 0).worker - counted },
            ]
        )
        guard let both = PairedSample(subject: values[0], reference: values[1]),
            let metrics = PairedSample(subject: values[1].map { $0 + counted }, reference: values[1])
        else { throw Failure("no sample") }
        func figure(_ what: String, _ sample: PairedSample) -> Figure {
            Figure(
                "processor time of a worker for a request with \(what), over that without",
                sample.ratios,
                unit: "ratio",
                bar: .atMost(1.03),
                remark: FigureTable.number(sample.subject.median) + " µs over "
                    + FigureTable.number(sample.reference.median) + " µs"
            )
        }
        return [figure("metrics", metrics), figure("metrics and records", both)]
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
            counters.add(.headerMemoHits)
            counters.note(clockOffset: -Int64(number & 255))
            counters.finishRequest(worker: slot, microseconds: 90)
            counters.setWorker(slot, .idle)
            counters.noteTurn(worker: slot)
        }
        return Double(Clock.threadProcessorNanoseconds() - start) / Double(count) / 1000
    }

    // MARK: - A scrape

    /// Measures a scrape when all rows of decisions are taken.
    private func scrape() throws -> Figure {
        let counters = try SharedCounters(codes: RequestObserver.codes, startedAt: Clock.wallMilliseconds())
        let name = "scraped"
        let pool = try Pool(
            plan,
            name: name,
            anchors: traffic.anchorFile,
            rules: try CompiledRules.small(generation: 0)
        )
        pool.stop()
        let generation = try Generation(loadingConfigurationAt: plan.workspace.path(of: "\(name).json"))
        let observer = RequestObserver(
            counters: counters,
            logger: Logger(label: "benchmark"),
            slot: counters.claimWorker(generation: 1, atMilliseconds: 0),
            slowMilliseconds: 0
        )
        let handler = try EndpointHandler(generation: generation, observer: observer)
        var number = 0
        while counters.usedDecisionRowCount < SharedCounters.decisionRowCount {
            let key = DecisionRowKey(appAppleId: 1, environment: "Production", rule: "rule-number-\(number)")
            if let row = counters.claimDecisionRow(key) { counters.addDecision(row: row, reason: 0) }
            number += 1
        }
        var byteCount = 0
        func milliseconds() throws -> Double {
            var request = ScrapeRequest()
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
            "processor time of a scrape with \(counters.usedDecisionRowCount) rows of decisions",
            sample,
            unit: "ms",
            bar: .atMost(5),
            remark: "\(byteCount) bytes; the first scrape \(FigureTable.number(first)) ms"
        )
    }
}

/// A request for the metrics.
private struct ScrapeRequest: GatewayRequest, ~Copyable {
    var acceptedWallMilliseconds: Int64 { Clock.wallMilliseconds() }
    var acceptedMonotonicNanoseconds: UInt64 { Clock.monotonicNanoseconds() }

    borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        let values = ["RETENTION_ENDPOINT": "metrics", "REQUEST_METHOD": "GET"]
        guard let value = values[name.description] else { return body(nil) }
        let bytes = Array(value.utf8)
        return body(bytes.span)
    }

    mutating func readBody(limitBytes: Int) -> BodyReading { .complete(byteCount: 0) }

    borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes: [UInt8] = []
        return try body(bytes.span)
    }
}
