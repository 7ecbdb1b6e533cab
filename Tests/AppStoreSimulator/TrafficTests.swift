import AppStoreSimulator
import Support
import Synchronization
import Testing

@Suite("The performance test")
struct TrafficTests {
    private static let message = Array(SendAttemptResultTests.message.utf8)

    @Test("passes when all answers are good, and sends the configured number of different requests")
    func pass() throws {
        let bodies = Mutex(Set<[UInt8]>())
        let server = try LoopbackServer { request in
            _ = bodies.withLock { $0.insert(request.body) }
            return .respond(status: 200, body: Self.message)
        }
        defer { server.stop() }
        var told: [Int64] = []
        let result = try run(server) {
            $0.totalRequests = 200
        } progress: {
            told.append($0)
        }
        #expect(result.isPass)
        #expect(result.successRate == 100)
        #expect(result.numPending == 0)
        #expect(result.causes.isEmpty)
        #expect(told == Array(1...200))
        #expect(bodies.withLock { $0.count } == 200)
        #expect(server.connectionCount <= 10)
        #expect(result.percentile(99) >= result.percentile(50) && result.percentile(50) > 0)
    }

    @Test(
        "counts failures by name and compares the success rate with the threshold",
        arguments: [(5, 95, true), (6, 95, false), (6, 94, true), (100, 0, true)] as [(Int, Int64, Bool)]
    )
    func failures(bad: Int, threshold: Int64, isPass: Bool) throws {
        let number = Atomic<Int>(0)
        let server = try LoopbackServer { _ in
            let index = number.add(1, ordering: .relaxed).oldValue
            if index >= bad { return .respond(status: 200, body: Self.message) }
            return index % 2 == 0 ? .respond(status: 503) : .respond(status: 200, body: Array("{}".utf8))
        }
        defer { server.stop() }
        let result = try run(server) {
            $0.totalRequests = 100
            $0.successRateThreshold = threshold
        }
        #expect(result.isPass == isPass)
        #expect(result.successRate == Int64(100 - bad))
        #expect(result.outcomes[.unsuccessfulStatus] == Int64((bad + 1) / 2))
        #expect(result.outcomes[.invalidResponse] == Int64(bad / 2))
        let refused = Int64((bad + 1) / 2)
        #expect(result.statuses == [200: 100 - refused, 503: refused])
        #expect(result.causes.map(\.outcome) == [.invalidResponse])
        #expect(result.causes[0].reason == "the body does not have exactly one member")
        #expect(result.causes[0].count == Int64(bad / 2))
        #expect(result.answersPerSecond > 0)
    }

    @Test("stops waiting for an answer at the response time threshold")
    func timeouts() throws {
        let server = try LoopbackServer { _ in .hang }
        defer { server.stop() }
        let result = try run(server) {
            $0.totalRequests = 4
            $0.responseTimeThreshold = 50
        }
        #expect(result.outcomes == [.timedOut: 4])
        #expect(result.percentile(99) == 0)
        #expect(!result.isPass)
        #expect(result.statuses.isEmpty)
        #expect(result.causes.map(\.reason) == ["no complete answer in time"])
    }

    @Test("ends when its duration is over and reports unanswered requests as pending")
    func duration() throws {
        let server = try LoopbackServer { _ in .hang }
        defer { server.stop() }
        let result = try run(server) {
            $0.totalRequests = 50
            $0.totalDuration = 100
            $0.responseTimeThreshold = 60_000
        }
        #expect(result.numPending == 50)
        #expect(result.successRate == 0)
        #expect(!result.isPass)
    }

    private func run(
        _ server: LoopbackServer,
        _ change: (inout PerformanceTestConfiguration) -> Void,
        progress: (Int64) -> Void = { _ in }
    ) throws -> PerformanceTestResult {
        var configuration = PerformanceTestConfiguration()
        configuration.responseTimeThreshold = 20_000
        change(&configuration)
        return try PerformanceTest(configuration: configuration, url: server.url("/")).run(
            signing: SignedRequestBuilder(chain: TestPKI.chain()),
            payload: { SignedBody.payload(number: UInt64($0)) },
            progress: progress
        )
    }
}
