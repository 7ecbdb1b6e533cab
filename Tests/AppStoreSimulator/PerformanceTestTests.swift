import AppStoreServerAPI
import AppStoreSimulator
import JSON
import System
import Testing

@Suite("A performance test of the simulator")
struct PerformanceTestTests {
    private func result(_ team: inout Team, _ test: StartedPerformanceTest) throws -> JSONValue {
        try #require(try team.send("GET", "/performanceTest/result/\(test.requestId)").root)
    }

    @Test("is pending, then has its outcome, and opens Production for its app alone")
    func passes() throws {
        var team = try Team { $0.performanceTest.totalRequests = 42 }
        _ = try team.send("PUT", "/realtime/url", .json(Sample.url))
        let answer = try team.send("POST", "/performanceTest", .json(Sample.test))
        let test = try #require(answer.startedTest)
        let root = try #require(answer.root)
        #expect(root.members.map(\.name) == ["config", "requestId"])
        #expect(root.member("requestId")?.string == test.requestId)
        #expect(root.member("config")?.member("totalRequests")?.int64 == 42)
        #expect(root.member("config")?.count == 5)
        #expect(test.bundleId == Team.bundleId && test.appAppleId == 6_745_974_591)
        #expect(test.target == "https://localhost:8443/retention-message")
        #expect(test.originalTransactionId == "2000000001")
        let pending = try result(&team, test)
        #expect(pending.member("result")?.string == "PENDING")
        #expect(pending.member("numPending")?.int64 == 42)
        let path = "/realtime/url"
        #expect(try team.send("PUT", path, .json(Sample.url), in: .production).outcome == "403 4030026")
        team.simulator.finishTest(test.requestId, bundleId: Team.bundleId, result: Team.passed)
        let passed = try result(&team, test)
        let names = ["config", "target", "result", "successRate", "numPending", "responseTimes", "failures"]
        #expect(passed.members.map(\.name).sorted() == names.sorted())
        #expect(passed.member("result")?.string == "PASS")
        #expect(passed.member("responseTimes")?.member("p99")?.int64 == 0)
        #expect(try team.send("PUT", path, .json(Sample.url), in: .production).status == 200)
        let other = try team.send(
            "PUT", path, .json(Sample.url), in: .production, bundleId: "com.example.other")
        #expect(other.outcome == "403 4030026")
    }

    @Test("fails for good, also when an outcome comes later or nobody gives one")
    func fails() throws {
        var team = try Team()
        _ = try team.send("PUT", "/realtime/url", .json(Sample.url))
        let failed = PerformanceTestResultResponse(
            result: .fail, config: PerformanceTestConfiguration(), target: "https://localhost/",
            failures: ["TLS_ISSUE": 5])
        let first = try #require(try team.send("POST", "/performanceTest", .json(Sample.test)).startedTest)
        team.simulator.finishTest(first.requestId, bundleId: Team.bundleId, result: failed)
        team.simulator.finishTest(first.requestId, bundleId: Team.bundleId, result: Team.passed)
        #expect(try result(&team, first).member("result")?.string == "FAIL")
        #expect(try result(&team, first).member("failures")?.member("TLS_ISSUE")?.int64 == 5)
        let second = try #require(try team.send("POST", "/performanceTest", .json(Sample.test)).startedTest)
        #expect(second.requestId != first.requestId)
        team.now += team.simulator.configuration.performanceTest.totalDuration + 10_000
        #expect(try result(&team, second).member("result")?.string == "FAIL")
        let url = try team.send("PUT", "/realtime/url", .json(Sample.url), in: .production)
        #expect(url.outcome == "403 4030026")
        team.simulator.finishTest(Sample.other, bundleId: Team.bundleId, result: Team.passed)
    }

    @Test(
        "calls this machine alone unless another host is allowed",
        arguments: [
            ("https://LOCALHOST:8443/x", true), ("https://127.0.0.1/", true), ("https://[::1]:8443/", true),
            ("https://example.com/", false), ("https://localhost.example.com/", false),
            ("https://FRIEND.example?x", true), ("https://friend.example.org/", false),
        ]
    )
    func hosts(url: String, isAllowed: Bool) throws {
        #expect(try #require(ReceiverURL(url)).isAllowed(by: ["Friend.example"]) == isAllowed)
    }

    @Test("a test that runs when the state is kept has failed when it is read")
    func restart() throws {
        var team = try Team()
        _ = try team.send("PUT", "/realtime/url", .json(Sample.url))
        let test = try #require(try team.send("POST", "/performanceTest", .json(Sample.test)).startedTest)
        let state = try SimulatorState(json: team.simulator.state.json)
        team.simulator = AppStoreSimulator(configuration: team.simulator.configuration, state: state)
        #expect(try result(&team, test).member("result")?.string == "FAIL")
        #expect(try team.send("POST", "/performanceTest", .json(Sample.test)).status == 200)
    }
}
