import HTTPLoad
import Support
import System
import Testing

extension Tester {
    /// Sends a GET to the port without TLS.
    func get(_ path: String) -> PlainAnswer? {
        PlainAnswer.exchange(RequestText.get(path), port: plainPort)
    }

    /// Sends a POST with this body to the port without TLS.
    func post(_ body: [UInt8], to path: String = TestTraffic.path) -> PlainAnswer? {
        PlainAnswer.exchange(RequestText.post(path, body), port: plainPort)
    }

    /// Sends a valid request and returns the body of the answer, or nil when the status is not 200.
    func ask() throws -> String? {
        let answer = post(try forge.body(forge.payload))
        return answer?.status == 200 ? answer?.body : nil
    }

    /// A closed loop of valid requests over kept connections without TLS.
    func load(connections: Int) throws -> LoadPlan {
        LoadPlan(port: plainPort, connections: connections, requests: try TestTraffic.valid(forge))
    }

    /// Runs `body` while a load of valid requests goes on: as many a second as `rate` says, or as many as are answered. The load
    /// starts before `body` and ends after it.
    ///
    /// - Returns: the outcomes of all requests of the load.
    func underLoad(connections: Int = 8, rate: Double = 0, _ body: (LoadClient) throws -> Void) throws
        -> LoadReport
    {
        let client = LoadClient(try load(connections: connections).with { $0.ratePerSecond = rate })
        let running = try client.start()
        defer {
            client.stop()
            _ = running.join()
        }
        try body(client)
        client.stop()
        return try #require(running.join())
    }

    /// Waits until the old workers are gone. Returns true when the remaining workers serve these rules.
    func hasSwitched(to rules: TestRules) throws -> Bool {
        guard Patience.wait(seconds: 60, { (try? workers.count) == options.workers }) else { return false }
        return try ask() == rules.answer
    }
}
