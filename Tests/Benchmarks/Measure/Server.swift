internal import System

/// An nginx with a FastCGI program behind it. Measures the processor time of nginx and of the program.
struct Server {
    let gateway: Gateway
    /// Returns the processes behind nginx.
    let workers: () throws -> [Int32]
    private let plan: Plan
    private let requests: String

    init(_ gateway: Gateway, _ plan: Plan, requests: String, workers: @escaping () throws -> [Int32]) {
        self.gateway = gateway
        self.plan = plan
        self.requests = requests
        self.workers = workers
    }

    /// The result of one run of the load generator. The times are microseconds of processor time for each request.
    struct Run {
        let load: Load
        let nginx: Double
        let worker: Double
        var client: Double { load.client / load.good }
    }

    /// Runs the load generator with eight kept connections. Each connection sends the next request as soon as it has an
    /// answer.
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

    /// Runs the load generator with these options.
    func run(connections: Int = 8, seconds: Double, _ options: [String]) throws -> Load {
        try Load(
            plan.products + "/load",
            in: plan.workspace,
            port: gateway.port,
            requests: requests,
            connections: connections,
            seconds: seconds,
            options
        )
    }
}
