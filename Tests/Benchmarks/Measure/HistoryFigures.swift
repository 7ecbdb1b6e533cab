internal import BenchmarkStatistics
internal import SubscriberHistory
internal import System

/// Measures `retentionctl facts build` on a large store, with SQLite and with PostgreSQL: its time and memory, and the latency of the
/// recorder meanwhile.
final class HistoryFigures {
    private let plan: Plan
    private let traffic: Traffic
    private let history: HistoryTraffic
    private let notifications: NotificationTraffic
    /// Notifications in one transaction.
    private static let batchCount = 500

    private var subscriberCount: Int { plan.isFull ? 200_000 : 20_000 }
    private var schema: String { plan.workspace.path(of: "facts-schema.json") }

    init(_ plan: Plan, _ traffic: Traffic, _ inProcess: InProcess, _ notifications: NotificationTraffic)
        throws
    {
        self.plan = plan
        self.traffic = traffic
        self.notifications = notifications
        history = try HistoryTraffic(traffic, inProcess.verifier())
        let facts = SubscriberFact.allCases.map { "\"\($0.name)\": \"\($0.type)\"" }.joined(separator: ", ")
        let app = "{\"appAppleId\": \(Traffic.appAppleId), \"bundleId\": \"\(Traffic.bundleId)\"}"
        try plan.workspace.write(
            "{\"app\": \(app), \"environment\": \"Sandbox\", \"facts\": {\(facts)}}", to: "facts-schema.json")
    }

    func measure() throws -> [Figure] {
        let server = try PostgreSQLBed(plan, for: "history")
        let files = SQLiteBed(plan)
        let beds: [any StoreBed] = [files, server]
        let made = try beds.map { try $0.make(.real) }
        let stores = try made.map { try StoreLane($0.address) }
        for number in 0..<HistoryTraffic.perSubscriber { try add(number, to: stores) }
        try server.vacuum()
        var figures: [Figure] = []
        for (index, bed) in beds.enumerated() {
            figures += self.figures(bed.name, try build(made[index].address))
        }
        for (index, bed) in beds.enumerated() {
            figures.append(try beside(made[index].address, bed.name))
        }
        try files.remove()
        server.remove()
        return figures
    }

    /// Adds a notification of each subscriber. Each store takes a batch while the next batch is made.
    private func add(_ number: Int, to stores: [StoreLane]) throws {
        for start in stride(from: 0, to: subscriberCount, by: Self.batchCount) {
            let batch = start..<min(start + Self.batchCount, subscriberCount)
            let items = try history.items(batch.map { (number, $0) })
            for store in stores { try store.begin(items) }
        }
        for store in stores { try store.finish() }
    }

    private func build(_ address: String) throws -> MeasuredRun {
        let path = plan.workspace.path(of: "history.facts")
        return try MeasuredRun(
            plan.products + "/retentionctl",
            ["facts", "build", "--store", address, "--schema", schema, "-o", path], in: plan.workspace)
    }

    private func figures(_ name: String, _ run: MeasuredRun) -> [Figure] {
        let count = subscriberCount * HistoryTraffic.perSubscriber
        let what = "\(count) notifications of \(subscriberCount) subscribers, \(name)"
        return [
            Figure(
                "time of a facts build: \(what)", value: run.seconds, unit: "s",
                bar: plan.isFull ? .atMost(60) : .reported),
            Figure(
                "peak memory of a facts build: \(what)", value: run.peakByteCount / 1e6, unit: "MB",
                bar: plan.isFull ? .atMost(300) : .reported),
        ]
    }

    /// Measures the latency of the recorder on this store while facts are built from it, over that in quiet.
    private func beside(_ address: String, _ name: String) throws -> Figure {
        let gateway = try Gateway(
            "history-nginx-\(name)", plan, socket: plan.workspace.path(of: "none.sock"),
            recorder: RecorderServer.socket(of: "history", in: plan.workspace))
        let recorder = try RecorderServer(
            .recorder, plan, name: "history", anchors: traffic.anchorFile, store: address)
        defer {
            recorder.stop()
            gateway.stop()
        }
        try recorder.waitUntilOpen(gateway)
        var first = 0
        var shares: [Double] = []
        let rounds = min(plan.pairs, 3)
        // At this rate the recorder commits several notifications together.
        let rate = 400.0
        /// Sends notifications that are new to the store. All phases together send each of them once.
        func p99(builds: Bool) throws -> Double {
            let seconds = min(6, Double(NotificationTraffic.fileCount / (2 * rounds)) / rate - 0.1)
            let program = builds ? try startBuild(address, number: shares.count) : nil
            defer { program?.stop() }
            let before = try Self.nanoseconds(of: program)
            let load = try Load(
                plan.products + "/load", in: plan.workspace, port: gateway.port,
                requests: notifications.requestsFile, connections: 32, seconds: seconds,
                ["answer=empty", "rate=\(Int(rate))", "first=\(first)"])
            first += Int(load.good + load.failed + load.unsent)
            if let program {
                guard !program.hasEnded else { throw Failure("a build failed. \(program.logEnd())") }
                let share = (try Self.nanoseconds(of: program) - before) / 1e9 / seconds
                guard share > 0.05 else { throw Failure("the builds got hardly any processor time") }
                shares.append(share)
            }
            return load.p99 / 1000
        }
        let values = try Rounds.measure(
            rounds,
            [{ () throws in try p99(builds: true) }, { () throws in try p99(builds: false) }]
        )
        guard let sample = PairedSample(subject: values[0], reference: values[1]) else {
            throw Failure("no sample")
        }
        let number = FigureTable.number
        return Figure(
            "99th percentile of the latency of notifications while facts are built, over that in quiet, \(name)",
            sample.ratios,
            unit: "ratio",
            bar: .atMost(1.5),
            remark: "\(number(sample.subject.median)) ms over \(number(sample.reference.median)) ms at "
                + "\(Int(rate)) notifications/s; the builds used \(number(Sample(shares)?.median ?? 0)) processors"
        )
    }

    /// Runs the command of its arguments again and again until it fails or a signal comes.
    private static let again =
        "trap 'kill $!; wait; exit' INT TERM; while \"$@\" & wait $!; do :; done"

    /// The processor time of the builds so far.
    private static func nanoseconds(of program: Program?) throws -> Double {
        try program.map { try ProcessTable.childrenNanoseconds(of: $0.processID) } ?? 0
    }

    /// Starts builds, one after the other, that go on while the latency is measured. A build of the large store takes half a
    /// minute: there, the measurement begins at one of three times.
    private func startBuild(_ address: String, number: Int) throws -> Program {
        let path = plan.workspace.path(of: "beside.facts")
        let arguments = ["facts", "build", "--store", address, "--schema", schema, "-o", path]
        let words = ["-c", Self.again, "sh", plan.products + "/retentionctl"] + arguments
        let program = try Program("facts-build", "/bin/sh", words, in: plan.workspace)
        if plan.isFull { Pause.milliseconds(1000 + UInt32(number % 3) * 11_000) }
        return program
    }
}
