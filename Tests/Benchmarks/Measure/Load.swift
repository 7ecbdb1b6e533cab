internal import System

/// One run of the load generator.
struct Load {
    /// Requests answered with 200.
    let good: Double
    /// Requests with another answer or without an answer.
    let failed: Double
    /// Good answers a second, from the first request to the last answer, and at least over the time of the schedule.
    let rate: Double
    /// Milliseconds from the HUP until every answer came from the new generation; negative when none did.
    let switched: Double
    /// The milliseconds that 99 of 100 answers did not exceed.
    let p99: Double

    /// Runs it, on one core if `core` names one. Throws when more than 1 % of the requests fail or are never sent.
    init(
        _ plan: Plan, port: Int, requests: String, connections: Int = 8, seconds: Double,
        _ options: [String] = [], core: Int? = nil
    ) throws {
        let authorities = "authorities=" + plan.workspace.path(of: "server.pem")
        let arguments = [String(port), requests, String(connections), String(seconds), authorities] + options
        let line = try Program.output(plan.products + "/load", arguments, in: plan.workspace, core: core)
        var values: [Substring: Double] = [:]
        for word in line.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let parts = word.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = Double(parts[1]) }
        }
        func value(_ name: Substring) throws -> Double {
            guard let value = values[name] else {
                throw Failure("the load generator did not say \(name): \(line)")
            }
            return value
        }
        good = try value("good")
        failed = try value("failed")
        rate = try value("rate")
        switched = try value("switched") / 1000
        p99 = try value("p99") / 1000
        guard try (failed + value("unsent")) * 100 <= good else {
            throw Failure("more than 1 % of the requests failed or were never sent: \(line)")
        }
    }
}

/// An nginx with a FastCGI program behind it.
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

    /// Sends over eight kept connections; each sends the next request as soon as it has an answer.
    ///
    /// - Returns: the load, and the microseconds of processor time of the workers for each request.
    func saturate(seconds: Double, first: Int, core: Int? = nil) throws -> (load: Load, worker: Double) {
        let workers = try workers()
        let before = try ProcessTable.processorNanoseconds(of: workers)
        let load = try Load(
            plan, port: gateway.port, requests: requests, seconds: seconds, ["first=\(first)"], core: core)
        return (load, (try ProcessTable.processorNanoseconds(of: workers) - before) / load.good / 1000)
    }

    /// Pushes rules and sends a HUP under a load of 1,000 requests a second.
    ///
    /// - Returns: the milliseconds until the last worker has switched.
    func reload(_ pool: Pool, rules: [UInt8], old: String, seconds: Double) throws -> Double {
        let before = try pool.workers()
        try pool.push(rules)
        let load = try Load(
            plan, port: gateway.port, requests: requests, connections: 64, seconds: seconds,
            ["rate=1000", "hup=\(pool.supervisor)", "old=\(old)"])
        guard load.switched > 0, load.failed == 0 else {
            throw Failure("a reload was refused, lost requests or took too long. " + pool.logEnd())
        }
        try pool.wait(untilGone: before)
        return load.switched
    }

    /// Returns the milliseconds that 99 of 100 answers to Apple's network do not exceed, also while two other addresses send a
    /// thousand requests a second each.
    func p99(flooded: Bool) throws -> Double {
        var floods: [Program] = []
        if flooded {
            floods = try [2, 3].map { network in
                let trust = "authorities=" + plan.workspace.path(of: "server.pem")
                return try Program(
                    "flood-\(network)", plan.products + "/load",
                    [String(gateway.port), requests, "32", "6", trust, "rate=1000", "network=\(network)"],
                    in: plan.workspace)
            }
            Clock.sleep(milliseconds: 500)
        }
        defer { floods.forEach { $0.stop() } }
        return try Load(
            plan, port: gateway.port, requests: requests, connections: 16, seconds: 4,
            ["rate=200", "network=17"]
        ).p99
    }

    /// Returns the milliseconds that 99 of 100 answers do not exceed at 500 requests a second, also while the supervisor of the
    /// pool gets a HUP every 100 milliseconds.
    func p99(hangups supervisor: Int32?) throws -> Double {
        try Load(
            plan, port: gateway.port, requests: requests, connections: 64, seconds: 4,
            ["rate=500"] + (supervisor.map { ["hups=\($0)"] } ?? [])
        ).p99
    }
}

/// The small FastCGI program in C, running with two processes.
struct Floor {
    private let program: Program

    /// The unix socket on which the program listens.
    let socket: String

    init(_ plan: Plan, leaf: String) throws {
        let socket = plan.workspace.path(of: "floor.sock")
        self.socket = socket
        program = try Program(
            "floor", plan.tools + "/responder", [socket, leaf, "2", "1"], in: plan.workspace)
        try program.wait { (try? FileStatus(path: socket)) != nil }
    }

    func workers() throws -> [Int32] { try ProcessTable.children(of: program.processID) }
}
