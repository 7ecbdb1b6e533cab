internal import System

/// Measures the recorder behind nginx with TLS on SQLite: notifications a second, what the disk has to do with that, and the
/// processor time.
final class NotificationFigures {
    private let plan: Plan
    private let traffic: Traffic
    private let notifications: NotificationTraffic
    private let gateway: Gateway
    private let verification: BareVerification
    private let insertion: BareInsertion
    private var verifiedCount = 0
    private var runCount = 0

    init(_ plan: Plan, _ traffic: Traffic) throws {
        self.plan = plan
        self.traffic = traffic
        notifications = try NotificationTraffic(traffic, in: plan.workspace)
        gateway = try Gateway("notifications-nginx", plan, recorder: Recorder.socket(in: plan.workspace))
        verification = try BareVerification(bodies: notifications.partsFile, leaf: traffic.leafFile)
        insertion = try BareInsertion(path: plan.workspace.path(of: "bare-notifications.db"))
    }

    func measure() throws -> [Figure] {
        defer { gateway.stop() }
        _ = try run(synchronises: true)
        var cost: [Double] = []
        var bare: [Double] = []
        let values = try Rounds.measure(
            min(plan.pairs, 7),
            [
                { () throws in
                    let run = try self.run(synchronises: true)
                    cost.append(run.microseconds)
                    bare.append(try self.bareMicroseconds(batchSize: run.batchSize))
                    return run.rate
                },
                { () throws in try self.run(synchronises: false).rate },
            ]
        )
        return try [
            Figure(
                "notifications per second, over those without fsync", values[0], over: values[1], of: "/s",
                bar: .atLeast(0.8)),
            Figure(
                "processor time of the recorder behind nginx, over 3 bare verifies and a bare insert", cost,
                over: bare, of: "µs", bar: .atMost(1.5)),
        ]
    }

    /// Sends notifications to a recorder with an empty store. Each good answer is a new row.
    private func run(synchronises: Bool) throws -> (rate: Double, microseconds: Double, batchSize: Double) {
        runCount += 1
        let store = plan.workspace.path(of: "notifications\(runCount).db")
        defer { for ending in ["", "-wal", "-shm"] { try? Directory.removeFile(path: store + ending) } }
        let recorder = try Recorder(
            plan, gateway, anchors: traffic.anchorFile, store: "sqlite:" + store,
            environment: synchronises ? [] : ["LD_PRELOAD=\(plan.tools)/synchronising.so"])
        defer { recorder.stop() }
        let before = try recorder.processorNanoseconds()
        let load = try Load(
            plan, port: gateway.port, requests: notifications.requestsFile, connections: 64, seconds: 2,
            ["answer=empty", "limit=\(NotificationTraffic.count)"])
        let time = try recorder.processorNanoseconds() - before
        let metrics = try recorder.metrics()
        guard metrics.stored == load.good, metrics.other == 0 else {
            throw Failure("\(load.good) good answers, \(metrics.stored) stored, \(metrics.other) others")
        }
        return (load.rate, time / load.good / 1000, metrics.batchSize)
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
}
