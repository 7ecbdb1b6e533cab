internal import BenchmarkStatistics
internal import System

/// What is measured through nginx.
final class ServedFigures {
    private let plan: Plan
    private let traffic: Traffic
    private let bare: BareVerification
    private var figures: [Figure] = []
    /// Requests the pool has answered so far.
    private var answered = 0.0
    private var next = 0

    init(_ plan: Plan, _ traffic: Traffic) throws {
        self.plan = plan
        self.traffic = traffic
        bare = try BareVerification(bodies: traffic.bodiesFile, leaf: traffic.leafFile)
    }

    func measure() throws -> [Figure] {
        let floor = try startFloor("floor", threads: 1, port: 18_444, .newConnection)
        let kept = try startFloor("floor-kept", threads: 32, port: 18_445, .shipped)
        print("floor", try floor.saturate(seconds: 2, first: 0))
        print("kept", try kept.saturate(seconds: 2, first: 0))
        return figures
    }

    private func startFloor(_ name: String, threads: Int, port: Int, _ upstream: Gateway.Upstream) throws
        -> Server
    {
        let floor = try Floor(
            name,
            plan.tools + "/responder",
            leaf: traffic.leafFile,
            threads: threads,
            in: plan.workspace
        )
        let gateway = try Gateway(
            name + "-nginx",
            in: plan.workspace,
            configuration: plan.nginx,
            socket: floor.socket,
            port: port,
            upstream: upstream
        )
        return Server(gateway, plan, bodies: traffic.bodiesFile) { try floor.workers() }
    }
}
