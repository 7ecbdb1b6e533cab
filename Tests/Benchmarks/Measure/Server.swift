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
            worker: (try ProcessTable.processorNanoseconds(of: workers) - before.workers) / load.good / 1000)
    }

    /// Loads several servers at the same time, as ``saturate(seconds:first:)`` loads one: what the machine does meanwhile is the
    /// same for all of them.
    ///
    /// - Returns: the processor time of each server's workers for a request, in microseconds, in the order of `servers`.
    static func workersTogether(_ servers: [Server], seconds: Double) throws -> [Double] {
        let workers = try servers.map { try $0.workers() }
        let before = try workers.map { try ProcessTable.processorNanoseconds(of: $0) }
        let loads = try servers.enumerated().map { index, server in
            try Program(
                "load-\(index)", server.plan.products + "/load",
                Load.arguments(
                    in: server.plan.workspace, port: server.gateway.port, requests: server.requests,
                    connections: 8, seconds: seconds, ["first=0"]), in: server.plan.workspace, core: 1)
        }
        let answered = try loads.map { try Load(line: try $0.finish()) }
        return try servers.indices.map { index in
            guard answered[index].failed * 100 <= answered[index].good else {
                throw Failure("more than 1 % of the requests failed")
            }
            let nanoseconds = try ProcessTable.processorNanoseconds(of: workers[index]) - before[index]
            return nanoseconds / answered[index].good / 1000
        }
    }

    /// Runs the load generator with these options.
    func run(connections: Int = 8, seconds: Double, _ options: [String]) throws -> Load {
        try Load(
            plan.products + "/load", in: plan.workspace, port: gateway.port, requests: requests,
            connections: connections, seconds: seconds, options)
    }
}
