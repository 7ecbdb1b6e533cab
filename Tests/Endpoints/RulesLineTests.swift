import Cryptography
import Facts
import JSON
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("The line about rules in a decision log")
struct RulesLineTests {
    private static func lines(_ change: (inout RulesModel) -> Void) throws -> (
        texts: [String], file: RulesFile
    ) {
        var model = RulesModel(appAppleId: 7, bundleId: "com.example", environment: .sandbox)
        model.facts = [.init(name: "household", kind: .string)]
        change(&model)
        let file = model.file
        let texts = RulesLine.lines(
            of: file, identifierKey: "0123456789abcdef", instance: "00f1e2d3c4b5a697",
            nowMilliseconds: 1_795_225_939_123)
        return (texts, file)
    }

    private static func variants(_ id: String, _ names: [String], salt: String = "v") -> RulesModel.Rule {
        let arms = names.enumerated().map { index, name in
            RulesModel.Arm(name: name, weight: index == 0 ? 10_001 - names.count : 1, outcome: .nothing)
        }
        return RulesModel.Rule(id: id, choice: .variants(.init(salt: salt, unit: .declared(0), arms: arms)))
    }

    @Test("has the holdout, the rollouts and the arms of the enabled rules")
    func line() throws {
        let (texts, file) = try Self.lines { model in
            model.metadata = [.init(key: "revision", value: "2026-11-21.3")]
            model.holdout = .init(split: .init(salt: "h", basisPoints: 1000), until: 1_798_761_600_000)
            var both = Self.variants("both", ["a", "b"])
            both.rollout = .init(salt: "r", basisPoints: 5000)
            both.windowTo = 1_796_083_200_500
            var off = Self.variants("off", ["a", "b"])
            off.isEnabled = false
            model.rules = [RulesModel.Rule(id: "plain", outcome: .nothing), both, off]
        }
        let digest = file.digest.hexadecimal
        let until = #""until":"2026-12-01T00:00:00.500Z"}"#
        let expected =
            #"{"rules":"\#(digest)","app":7,"environment":"Sandbox","revision":"2026-11-21.3","#
            + #""time":"2026-11-21T01:52:19.123Z","instance":"00f1e2d3c4b5a697","#
            + #""identifierKey":"0123456789abcdef","experiments":["#
            + #"{"kind":"holdout","rule":null,"salt":"h","unit":"originalTransactionId","#
            + #""shares":[{"from":null,"basisPoints":1000}],"until":"2027-01-01T00:00:00Z"},"#
            + #"{"kind":"rollout","rule":"both","salt":"r","unit":"originalTransactionId","#
            + #""shares":[{"from":null,"basisPoints":5000}],\#(until),"#
            + #"{"kind":"variants","rule":"both","salt":"v","unit":"household","#
            + #""arms":[{"name":"a","weight":9999},{"name":"b","weight":1}],\#(until)]}"# + "\n"
        #expect(texts == [expected])
    }

    @Test("goes on in as many lines as it needs, also with the longest names and salts")
    func many() throws {
        let name = String(repeating: "n", count: 125)
        let arms = (0..<100).map { "\($0)\(name)" }
        let (texts, _) = try Self.lines { model in
            let salt = String(repeating: "s", count: 1024)
            model.rules = (0..<20).map { Self.variants("\($0)\(name)", arms, salt: salt) }
        }
        var found: [String: [String]] = [:]
        for text in texts {
            #expect(text.utf8.count <= LineOutput.lineBytes)
            let limits = JSONLimits(byteCount: LineOutput.lineBytes, depth: 8)
            let document = try JSONDocument(parsing: Array(text.utf8.dropLast()).span, limits: limits)
            for experiment in try #require(document.root.member("experiments")).elements {
                let rule = try #require(experiment.member("rule")?.string)
                let part = experiment.member("arms")?.elements.compactMap { $0.member("name")?.string } ?? []
                found[rule, default: []] += part
            }
        }
        #expect(found.count == 20 && found.values.allSatisfy { $0 == arms })
    }
}
