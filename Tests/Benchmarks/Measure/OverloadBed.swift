internal import System

/// A pool and an nginx on one processor core, and the load generator on another one.
final class OverloadBed {
    let pool: Pool
    private let plan: Plan
    private let traffic: Traffic
    private let gateway: Gateway
    /// A second nginx before the same pool, on the same core, which refuses requests without asking the pool.
    private let refusingGateway: Gateway
    private let name: String
    /// A third nginx, with the limit of the shipped configuration a little below the capacity.
    private var limitedGateway: Gateway?
    private var next = 0
    /// The processor time that nginx and the workers needed for each good answer of the last run, in microseconds.
    private(set) var processorTimes = (nginx: 0.0, worker: 0.0)

    private static let serverCore = 0
    private static let clientCore = 1
    /// The connections with which the capacity is measured: few requests wait, and nginx has more than a few connections to
    /// look after. The more connections it has, the more processor time it needs for each request.
    private static let capacityConnections = 256

    init(_ name: String, _ plan: Plan, _ traffic: Traffic, rules: [UInt8], facts: String? = nil) throws {
        guard ProcessorCount.usable > 1 else { throw Failure("overload needs two processor cores") }
        self.plan = plan
        self.traffic = traffic
        self.name = name
        pool = try Pool(
            plan, name: name + "-pool", anchors: traffic.anchorFile, rules: rules, facts: facts,
            core: Self.serverCore)
        gateway = try Gateway(
            name + "-nginx", plan, socket: pool.socket, upstream: .both, core: Self.serverCore)
        refusingGateway = try Gateway(
            name + "-nginx-refusing", plan, socket: pool.socket, limit: 1, core: Self.serverCore)
    }

    /// Returns how many requests a second nginx refuses when it refuses all of them and the pool has no work: no pool behind it
    /// can make refusals cheaper.
    func refusals() throws -> Double {
        let seconds = 3.0
        return try run(connections: Self.capacityConnections, seconds: seconds, through: refusingGateway)
            .failed / seconds
    }

    /// Returns how many good answers a second come when there is always enough to do, and hardly anything waits.
    func capacity() throws -> Double {
        try run(connections: Self.capacityConnections, seconds: 3).value("goodput")
    }

    /// Returns an nginx with the limit of the shipped configuration at three fifths of this capacity.
    func limitedGateway(capacity: Double) throws -> Gateway {
        if let limitedGateway { return limitedGateway }
        let gateway = try Gateway(
            name + "-nginx-limited", plan, socket: pool.socket, limit: Int(capacity * 0.6),
            core: Self.serverCore)
        limitedGateway = gateway
        return gateway
    }

    /// Runs the load generator with these options.
    func run(
        connections: Int, seconds: Double, _ options: [String] = [], requests: String? = nil,
        through gateway: Gateway? = nil
    ) throws -> Load {
        let gateway = gateway ?? self.gateway
        let (nginx, workers) = (try gateway.workers(), try pool.workers())
        let before = (
            nginx: try ProcessTable.processorNanoseconds(of: nginx),
            worker: try ProcessTable.processorNanoseconds(of: workers)
        )
        let load = try Load(
            plan.products + "/load", in: plan.workspace, port: gateway.port,
            requests: requests ?? traffic.requestsFile, connections: connections, seconds: seconds,
            ["first=\(next)", "overload=yes"] + options, core: Self.clientCore, mayFail: true)
        // After a reload the workers are others.
        if load.good > 0, try pool.workers() == workers {
            processorTimes = (
                (try ProcessTable.processorNanoseconds(of: nginx) - before.nginx) / load.good / 1000,
                (try ProcessTable.processorNanoseconds(of: workers) - before.worker) / load.good / 1000
            )
        }
        // Even, because every second request of a mixed file goes to another location.
        next += Int(load.good) / 2 * 2
        return load
    }
}
