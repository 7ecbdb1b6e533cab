import Support
import Testing

extension Tester {
    /// A GET over the plain port.
    func get(_ path: String) -> PlainAnswer? {
        PlainAnswer.exchange(PlainRequest.get(path), port: plainPort)
    }

    /// A POST of a body to the endpoint.
    func post(_ body: [UInt8], to path: String = TestTraffic.path) -> PlainAnswer? {
        PlainAnswer.exchange(PlainRequest.post(path, body), port: plainPort)
    }

    /// The body of the answer to a sound request; nil when there is no 200.
    func ask() throws -> String? {
        let answer = post(try forge.body(forge.payload))
        return answer?.status == 200 ? answer?.body : nil
    }

    /// A closed loop of sound requests over kept plain connections.
    func load(connections: Int) throws -> LoadPlan {
        LoadPlan(port: plainPort, connections: connections, requests: try TestTraffic.valid(forge))
    }

    /// Runs `body` while such a load goes on, from before it until after it.
    ///
    /// - Returns: what came of all its requests.
    func underLoad(connections: Int = 8, _ body: (LoadClient) throws -> Void) throws -> LoadReport {
        let client = LoadClient(try load(connections: connections))
        let running = try client.start()
        defer {
            client.stop()
            _ = running.join()
        }
        try body(client)
        client.stop()
        return try #require(running.join())
    }

    /// Whether these rules are served alone: the workers before them are gone.
    func hasSwitched(to rules: TestRules) throws -> Bool {
        guard Patience.wait(seconds: 60, { (try? workers.count) == options.workers }) else { return false }
        return try ask() == rules.answer
    }
}
