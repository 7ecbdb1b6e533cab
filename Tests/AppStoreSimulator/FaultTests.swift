import AppStoreServerAPI
import AppStoreSimulator
import JSON
import System
import Testing

@Suite("The faults of the simulator")
struct FaultTests {
    private static let path = "/message/\(Sample.message)"

    @Test("do or prevent the work as they say", arguments: SimulatorFault.Kind.allCases)
    func work(kind: SimulatorFault.Kind) throws {
        var team = try Team { $0.faults = [SimulatorFault(kind, percent: 100, operation: .uploadMessage)] }
        let answer = try team.send("PUT", Self.path, .json(Sample.text()))
        let list = try team.send("GET", "/message/list").root?.member("messageIdentifiers")?.count
        let isDone = [.lateError, .lostAnswer, .truncatedBody, .slowAnswer].contains(kind)
        #expect(list == (isDone ? 1 : 0))
        #expect(answer.isLost == [.lostRequest, .lostAnswer].contains(kind))
        #expect(answer.delayMilliseconds == (kind == .slowAnswer ? 2000 : 0))
        let expected =
            switch kind {
            case .internalError, .lateError: "500 5000000"
            case .retryableError: "500 5000001"
            case .rateLimit: "429 4290000"
            default: "200"
            }
        #expect(answer.outcome == expected)
        #expect(answer.retryAfterMilliseconds == (kind == .rateLimit ? team.now + 2000 : nil))
    }

    @Test("cut a body in the middle")
    func truncated() throws {
        var whole = try Team()
        var team = try Team { $0.faults = [SimulatorFault(.truncatedBody, percent: 100)] }
        let expected = try whole.send("GET", "/message/list").body
        let body = try team.send("GET", "/message/list").body
        #expect(body == Array(expected.prefix(expected.count / 2)))
        #expect(!body.isEmpty)
    }

    @Test("happen as often as they are told, and come again with the same randomness")
    func share() throws {
        func losses() throws -> [Bool] {
            var team = try Team { $0.faults = [SimulatorFault(.lostAnswer, percent: 30)] }
            return try (0..<1000).map { _ in
                try team.send("GET", "/message/list", in: .production).isLost
            }
        }
        let first = try losses()
        #expect((240...360).contains(first.filter { $0 }.count))
        #expect(try losses() == first)
    }

    @Test("start a performance test whose answer is lost")
    func lostStart() throws {
        var team = try Team { $0.faults = [SimulatorFault(.lostAnswer, percent: 100, operation: .startTest)] }
        _ = try team.send("PUT", "/realtime/url", .json(Sample.url))
        let answer = try team.send("POST", "/performanceTest", .json(Sample.test))
        #expect(answer.isLost && answer.startedTest != nil)
        #expect(try team.send("POST", "/performanceTest", .json(Sample.test)).outcome == "400 4000213")
    }
}
