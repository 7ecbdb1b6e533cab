internal import BenchmarkStatistics

/// Measures the recorder behind nginx with TLS, first with SQLite, then with PostgreSQL: notifications a second, what the
/// disk has to do with that, the delay, and the processor time.
final class NotificationFigures {
    private let plan: Plan
    private let notifications: NotificationTraffic
    private let runs: NotificationRuns
    private let verification: BareVerification
    private let insertion: BareInsertion
    private var verifiedCount = 0

    init(_ plan: Plan, _ traffic: Traffic, _ notifications: NotificationTraffic) throws {
        self.plan = plan
        self.notifications = notifications
        runs = try NotificationRuns(plan, traffic, notifications)
        verification = try BareVerification(bodies: notifications.partsFile, leaf: traffic.leafFile)
        insertion = try BareInsertion(path: plan.workspace.path(of: "bare-notifications.db"))
    }

    /// Measures all figures. PostgreSQL has no bars.
    func measure() throws -> [Figure] {
        let files = SQLiteBed(plan)
        _ = try runs.run(files, .real, seconds: 0.5)
        let (rate, figures) = try saturated(files, pairs: min(plan.pairs, 7), hasBars: true)
        var all = figures
        all.append(try delayed(files, pairs: min(plan.pairs, 3), hasBars: true))
        all.append(try latency(files, halfRate: rate / 2, rounds: min(plan.pairs, 3)))
        try files.remove()
        let server = try PostgreSQLBed(plan, for: "notifications")
        let (serverRate, serverFigures) = try saturated(server, pairs: min(plan.pairs, 3), hasBars: false)
        all += serverFigures
        all.append(try delayed(server, pairs: 1, hasBars: false))
        all.append(try latency(server, halfRate: serverRate / 2, rounds: 1))
        server.remove()
        return all
    }

    // MARK: - Saturated

    /// Measures with and without synchronisation, and after each run with it the bare work at the same batch size.
    private func saturated(_ bed: any StoreBed, pairs: Int, hasBars: Bool) throws -> (
        rate: Double, figures: [Figure]
    ) {
        var real: [NotificationRuns.Run] = []
        var bare: [Double] = []
        let values = try Rounds.measure(
            pairs,
            [
                { () throws in
                    let run = try self.runs.run(bed, .real)
                    real.append(run)
                    bare.append(try self.bareMicroseconds(batchSize: run.metrics.batchSize))
                    return run.load.rate
                },
                { () throws in try self.runs.run(bed, .skipped).load.rate },
            ]
        )
        guard let rate = PairedSample(subject: values[0], reference: values[1]),
            let cost = PairedSample(subject: real.map(\.recorder), reference: bare)
        else { throw Failure("no sample") }
        let number = FigureTable.number
        func median(_ value: (NotificationRuns.Run) -> Double) -> String {
            number(Sample(real.map(value))?.median ?? 0)
        }
        let figures = [
            Figure(
                "notifications per second, \(bed.name)",
                rate.subject,
                unit: "requests/s",
                bar: .reported,
                remark: "batches of \(median(\.metrics.batchSize)), "
                    + "\(median(\.metrics.commitMilliseconds)) ms each; processor time in µs: "
                    + "recorder \(median(\.recorder)), nginx \(median(\.nginx)), client \(median(\.client))"
            ),
            Figure(
                "notifications per second, over those without fsync, \(bed.name)", rate.ratios, unit: "ratio",
                bar: hasBars ? .atLeast(0.8) : .reported,
                remark: "\(number(rate.subject.median))/s over \(number(rate.reference.median))/s"),
            Figure(
                "processor time of the recorder behind nginx, over 3 bare verifies and a bare insert, \(bed.name)",
                cost.ratios, unit: "ratio", bar: hasBars ? .atMost(1.5) : .reported,
                remark: "\(number(cost.subject.median)) µs over \(number(cost.reference.median)) µs"),
        ]
        return (rate.subject.median, figures)
    }

    /// Returns the microseconds of three bare verifications and one bare insertion of a notification, in transactions of
    /// this many notifications.
    private func bareMicroseconds(batchSize: Double) throws -> Double {
        let bodies = notifications.bodies
        let size = max(1, Int(batchSize.rounded()))
        var inserting = 0.0
        for start in stride(from: 0, to: bodies.count, by: size) {
            inserting += try insertion.microseconds(Array(bodies[start..<min(start + size, bodies.count)]))
        }
        let count = 3 * bodies.count
        defer { verifiedCount += count }
        return try 3 * verification.microseconds(first: verifiedCount, count: count)
            + inserting / Double(bodies.count)
    }

    // MARK: - A slow disk, and the delay

    private func delayed(_ bed: any StoreBed, pairs: Int, hasBars: Bool) throws -> Figure {
        let values = try Rounds.measure(
            pairs,
            [
                { () throws in try self.runs.run(bed, .delayed).load.rate },
                { () throws in try self.runs.run(bed, .delayed, batchCount: 1).load.rate },
            ]
        )
        guard let sample = PairedSample(subject: values[0], reference: values[1]) else {
            throw Failure("no sample")
        }
        let number = FigureTable.number
        return Figure(
            "notifications per second with 5 ms more for each fsync, over one commit each, \(bed.name)",
            sample.ratios, unit: "ratio", bar: hasBars ? .atLeast(5) : .reported,
            remark: "\(number(sample.subject.median))/s over \(number(sample.reference.median))/s")
    }

    private func latency(_ bed: any StoreBed, halfRate rate: Double, rounds: Int) throws -> Figure {
        // Each notification is sent once.
        let seconds = min(4, Double(NotificationTraffic.count) / rate)
        var medians: [Double] = []
        let delays = try (0..<rounds).map { _ in
            let load = try runs.run(bed, .real, seconds: seconds, ["rate=\(rate)"]).load
            medians.append(load.p50 / 1000)
            return load.p99 / 1000
        }
        guard let sample = Sample(delays), let median = Sample(medians)?.median else {
            throw Failure("no sample")
        }
        let number = FigureTable.number
        return Figure(
            "99th percentile of the latency at half of that rate, \(bed.name)", sample, unit: "ms",
            bar: .reported, remark: "at \(number(rate)) notifications/s; median \(number(median)) ms")
    }
}
