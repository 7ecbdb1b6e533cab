import AppStoreServerAPI
import FuzzBodies
import JSON
import Support
import Testing
import Vocabulary

@testable import AppStoreSimulator

/// Random sequences of operations and reviews with few identifiers, so that they meet.
@Suite("Whatever is asked of the simulator")
struct PropertyTests {
    private static let count = 5000

    private func identifier(_ random: inout SeededGenerator) -> String {
        Sample.identifier(Int.random(in: 0..<12, using: &random))
    }

    private func step(_ team: inout Team, _ random: inout SeededGenerator) throws -> (String, SimulatorAnswer)
    {
        let environment: Environment = Bool.random(using: &random) ? .production : .sandbox
        let name = identifier(&random)
        let place =
            "/default/p\(Int.random(in: 0..<3, using: &random))/\(Bool.random(using: &random) ? "en-US" : "ja")"
        var more = ""
        if Bool.random(using: &random) { more += Sample.picture(identifier(&random)) }
        if Bool.random(using: &random) { more += Sample.bullets([identifier(&random)]) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...1:
            let answer = try team.send("PUT", "/image/\(name)", .png(TestPNG.full), in: environment)
            return ("image \(environment) \(name)", answer)
        case 2:
            let target = "/image/\(name)?imageSize=BULLET_POINT"
            return (
                "image \(environment) \(name)",
                try team.send("PUT", target, .png(TestPNG.bullet), in: environment)
            )
        case 3...4:
            let body = TestBody.json(Sample.text(more: more))
            return (
                "message \(environment) \(name)",
                try team.send("PUT", "/message/\(name)", body, in: environment)
            )
        case 5: return ("", try team.send("DELETE", "/message/\(name)", in: environment))
        case 6: return ("", try team.send("DELETE", "/image/\(name)", in: environment))
        case 7...8:
            return ("", try team.send("PUT", place, .json(Sample.reference(name)), in: environment))
        case 9: return ("", try team.send("DELETE", place, in: environment))
        case 10:
            let decision = Bool.random(using: &random) ? "approve" : "reject"
            let body = #"{"bundleId":"com.example.app","decision":"\#(decision)","identifiers":["\#(name)"]}"#
            return ("", team.administer("POST", "review", .json(body), in: environment))
        default:
            let body = #"{"bundleId":"com.example.app","decision":"approve"}"#
            return ("", team.administer("POST", "review", .json(body), in: environment))
        }
    }

    @Test(
        "no default names what may not be shown, no identifier is taken twice, and nothing is lost in a file"
    )
    func invariants() throws {
        var random = SeededGenerator(for: "simulator-invariants")
        var team = try Team { $0.speed = SimulatorLimits.speed }
        var taken: Set<String> = []
        for number in 0..<Self.count {
            // Used-up identifiers would make the rest of the sequence dull.
            if number % 500 == 0 {
                team.simulator = AppStoreSimulator(configuration: team.simulator.configuration)
                taken = []
            }
            team.now += 40
            let (upload, answer) = try step(&team, &random)
            #expect(answer.status != 500 && answer.status != 429)
            if !upload.isEmpty, answer.status == 200 { #expect(taken.insert(upload).inserted, "\(upload)") }
            let app = team.simulator.state["com.example.app"]
            for state in [app.production, app.sandbox] {
                #expect(state.defaults.values.allSatisfy(state.isShowable))
                for message in state.messages.values {
                    #expect(message.images.allSatisfy { state.images[$0] != nil })
                }
                #expect(state.deletedImages.isDisjoint(with: state.images.keys))
                #expect(state.deletedMessages.isDisjoint(with: state.messages.keys))
            }
            if number % 100 == 99 {
                let again = try SimulatorState(json: team.simulator.state.json)
                #expect(again == team.simulator.state)
            }
        }
    }

    @Test("there are never more than 2,000 messages and images")
    func counts() throws {
        var random = SeededGenerator(for: "simulator-counts")
        var team = try Team { $0.speed = SimulatorLimits.speed }
        for number in 0..<2600 {
            team.now += 40
            let name = Sample.identifier(number)
            _ = try team.send("PUT", "/image/\(name)", .png(TestPNG.full))
            _ = try team.send("PUT", "/message/\(name)", .json(Sample.text()))
            if Int.random(in: 0..<5, using: &random) == 0 {
                _ = try team.send(
                    "DELETE", "/image/\(Sample.identifier(Int.random(in: 0...number, using: &random)))")
                _ = try team.send(
                    "DELETE", "/message/\(Sample.identifier(Int.random(in: 0...number, using: &random)))")
            }
            let sandbox = team.simulator.state["com.example.app"].sandbox
            #expect(sandbox.images.count <= 2000 && sandbox.messages.count <= 2000)
        }
    }

    @Test("a file that is not a state is an error with a code, and a damaged one never traps")
    func damaged() throws {
        var team = try Team()
        try team.upload(in: .production)
        try team.passTest()
        let good = team.simulator.state.json
        #expect(try SimulatorState(json: good) == team.simulator.state)
        for (text, code) in [
            ("", "simulator-state.damaged"), ("{}", "simulator-state.damaged"),
            ("[]", "simulator-state.damaged"),
            (#"{"format":3}"#, "simulator-state.newer"), (#"{"format":1}"#, "simulator-state.damaged"),
            (#"{"format":1,"apps":{"a":{}}}"#, "simulator-state.damaged"),
        ] {
            let error = #expect(throws: SimulatorStateError.self) {
                try SimulatorState(json: Array(text.utf8))
            }
            #expect(error?.code == code)
        }
        // The next upload would count beyond 64 bits.
        let text = String(decoding: good, as: UTF8.self)
        let full = text.replacing(/"uploadCount":[0-9]+/, with: #""uploadCount":9223372036854775807"#)
        #expect(full != text)
        let error = #expect(throws: SimulatorStateError.self) { try SimulatorState(json: Array(full.utf8)) }
        #expect(error?.code == "simulator-state.damaged")
        var random = SeededGenerator(for: "simulator-damaged")
        for _ in 0..<100 {
            var bytes = good
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                in: 0x20...0x7E, using: &random)
            if let state = try? SimulatorState(json: bytes) {
                #expect(try SimulatorState(json: state.json) == state)
            }
        }
    }

    @Test("a performance test that runs when the state is kept has failed when it is read")
    func runningTest() throws {
        var team = try Team()
        _ = try team.send("PUT", "/realtime/url", .json(Sample.url))
        let test = try #require(try team.send("POST", "/performanceTest", .json(Sample.test)).startedTest)
        let state = try SimulatorState(json: team.simulator.state.json)
        team.simulator = AppStoreSimulator(configuration: team.simulator.configuration, state: state)
        let answer = try team.send("GET", "/performanceTest/result/\(test.requestId)")
        #expect(answer.root?.member("result")?.string == "FAIL")
        #expect(try team.send("POST", "/performanceTest", .json(Sample.test)).status == 200)
    }

    @Test("no file of the fuzzer's corpus breaks a rule")
    func corpus() throws {
        let fuzzing = try SimulatorFuzz()
        try FuzzCorpus.replay("SimulatorRequest") { bytes in
            let isFine = fuzzing.input(bytes)
            #expect(isFine)
        }
    }
}
