internal import System

/// An nginx with a FastCGI program behind it, and what both have used of the processor.
struct Server {
    let gateway: Gateway
    /// The processes behind nginx.
    let workers: () throws -> [Int32]
    private let plan: Plan
    private let bodies: String

    init(_ gateway: Gateway, _ plan: Plan, bodies: String, workers: @escaping () throws -> [Int32]) {
        self.gateway = gateway
        self.plan = plan
        self.bodies = bodies
        self.workers = workers
    }

    /// What one run of the load generator found; times are microseconds of processor time for each request.
    struct Run {
        let load: Load
        let nginx: Double
        let worker: Double
        var client: Double { load.client / load.good }
    }

    /// Eight kept client connections, each with its next request as soon as it has its answer.
    func saturate(seconds: Double, first: Int) throws -> Run {
        let nginx = try gateway.workers()
        let workers = try workers()
        let before = (
            nginx: try ProcessTable.processorNanoseconds(of: nginx),
            workers: try ProcessTable.processorNanoseconds(of: workers)
        )
        let load = try run(seconds: seconds, ["first=\(first)"])
        return Run(
            load: load,
            nginx: (try ProcessTable.processorNanoseconds(of: nginx) - before.nginx) / load.good / 1000,
            worker: (try ProcessTable.processorNanoseconds(of: workers) - before.workers) / load.good / 1000
        )
    }

    /// A run with options of the load generator.
    func run(connections: Int = 8, seconds: Double, _ options: [String]) throws -> Load {
        try Load(
            plan.tools + "/load",
            in: plan.workspace,
            port: gateway.port,
            bodies: bodies,
            connections: connections,
            seconds: seconds,
            options
        )
    }
}
