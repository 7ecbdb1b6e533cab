/// One run of the load generator.
struct Load {
    /// Requests answered with 200.
    let good: Double
    /// Requests with another answer or without an answer.
    let failed: Double
    /// Requests that were due but were never sent, because no connection was idle in time.
    let unsent: Double
    /// Good answers a second, from the first request to the last answer, and at least over the time of the schedule.
    let rate: Double
    /// 99 of 100 good answers came within so many microseconds.
    let p99: Double
    let p50: Double
    /// Microseconds of processor time of the generator itself.
    let client: Double
    /// Signals sent.
    let hups: Double
    /// Microseconds from the first HUP to the last answer of the old generation and to the first of the new one;
    /// negative when there was none.
    let lastOld: Double
    let firstNew: Double
    /// As ``p99``, of the answers from the first HUP until all come from the new generation.
    let reloadP99: Double
    /// All values that the load generator printed, by name.
    private let values: [String: Double]
    /// What the load generator printed.
    private let line: String

    /// Runs it, on one core if `core` names one: `program port requests connections seconds options…`. Throws when more than
    /// 1 % of the requests fail, unless they may.
    init(
        _ program: String, in workspace: Workspace, port: Int, requests: String, connections: Int = 8,
        seconds: Double, _ options: [String] = [], core: Int? = nil, mayFail: Bool = false
    ) throws {
        let arguments = Self.arguments(
            in: workspace, port: port, requests: requests, connections: connections, seconds: seconds, options
        )
        try self.init(line: try Program.output(program, arguments, in: workspace, core: core))
        guard mayFail || (failed + unsent) * 100 <= good else {
            throw Failure("more than 1 % of the requests failed or were never sent: \(line)")
        }
    }

    /// The command line of the load generator.
    static func arguments(
        in workspace: Workspace, port: Int, requests: String, connections: Int, seconds: Double,
        _ options: [String]
    ) -> [String] {
        [String(port), requests, String(connections), String(seconds)]
            + ["authorities=" + workspace.path(of: "server.pem")] + options
    }

    /// Reads the line that the load generator prints.
    init(line: String) throws {
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
        self.line = line
        self.values = Dictionary(uniqueKeysWithValues: values.map { (String($0.key), $0.value) })
        good = try value("good")
        failed = try value("failed")
        unsent = try value("unsent")
        rate = try value("rate")
        p50 = try value("p50")
        p99 = try value("p99")
        client = try value("client")
        hups = try value("hups")
        lastOld = try value("last_old")
        firstNew = try value("first_new")
        reloadP99 = try value("reload_p99")
    }

    /// Returns another value that the load generator printed.
    func value(_ name: String) throws -> Double {
        guard let value = values[name] else {
            throw Failure("the load generator did not say \(name): \(line)")
        }
        return value
    }
}
