import Cryptography
import DataFileWriting
import DataFiles
import JSON
import Support
import Testing
import Vocabulary

@testable import Loader

@Suite("The experiments in a decision log")
struct ExperimentMarksTests {
    private static func file(_ change: (inout RulesModel) -> Void) throws -> RulesFile {
        var model = RulesModel(appAppleId: 7, bundleId: "com.example", environment: .sandbox)
        model.facts = [.init(name: "household", kind: .string)]
        change(&model)
        let stamp = DataFileStamp(generation: 12, builtAtMilliseconds: 0, writerVersion: "test")
        return try RulesFile(bytes: RulesFileWriter.write(model, stamp: stamp), check: .full)
    }

    private static func variants(_ id: String, _ names: [String], salt: String = "v") -> RulesModel.Rule {
        let arms = names.enumerated().map { index, name in
            RulesModel.Arm(
                name: name,
                weight: index == 0 ? 10_001 - names.count : 1,
                outcome: .nothing
            )
        }
        return RulesModel.Rule(
            id: id,
            choice: .variants(.init(salt: salt, unit: .declared(0), arms: arms))
        )
    }

    private static func texts(_ file: RulesFile) -> [String] {
        ExperimentMarks.lines(of: file).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("are the holdout, the rollouts and the arms of the enabled rules")
    func line() throws {
        let file = try Self.file { model in
            model.metadata = [.init(key: "revision", value: "2026-11-21.3")]
            model.holdout = .init(split: .init(salt: "h", basisPoints: 1000), until: 1_798_761_600_000)
            var both = Self.variants("both", ["a", "b"])
            both.rollout = .init(salt: "r", basisPoints: 5000)
            both.windowTo = 1_796_083_200_500
            var off = Self.variants("off", ["a", "b"])
            off.isEnabled = false
            model.rules = [RulesModel.Rule(id: "plain", outcome: .nothing), both, off]
        }
        let digest = file.header.digest.hexadecimal
        let until = #""until":"2026-12-01T00:00:00.500Z"}"#
        let expected =
            #"{"mark":"rules","app":7,"environment":"Sandbox","generation":12,"digest":"\#(digest)","#
            + #""revision":"2026-11-21.3","experiments":["#
            + #"{"kind":"holdout","rule":null,"salt":"h","unit":"originalTransactionId","#
            + #""shares":[{"from":null,"basisPoints":1000}],"until":"2027-01-01T00:00:00Z"},"#
            + #"{"kind":"rollout","rule":"both","salt":"r","unit":"originalTransactionId","#
            + #""shares":[{"from":null,"basisPoints":5000}],\#(until),"#
            + #"{"kind":"variants","rule":"both","salt":"v","unit":"household","#
            + #""arms":[{"name":"a","weight":9999},{"name":"b","weight":1}],\#(until)]}"# + "\n"
        #expect(Self.texts(file) == [expected])
    }

    @Test("have a line also when the rules have no experiments")
    func noExperiments() throws {
        let texts = Self.texts(try Self.file { $0.defaultOutcome = .nothing })
        #expect(texts.count == 1 && texts[0].hasSuffix("\"revision\":null,\"experiments\":[]}\n"))
    }

    private static func roots(_ lines: [[UInt8]]) throws -> [JSONValue] {
        try lines.map { line in
            #expect(line.count <= 4096 && line.last == UInt8(ascii: "\n"))
            let limits = JSONLimits(byteCount: 4096, depth: 8)
            return try JSONDocument(parsing: Array(line.dropLast()).span, limits: limits).root
        }
    }

    @Test("take as many lines as they need, also with the longest names and salts")
    func many() throws {
        let name = String(repeating: "n", count: 125)
        let salt = String(repeating: "s", count: 1024)
        let arms = (0..<100).map { "\($0)\(name)" }
        let file = try Self.file { model in
            model.rules = (0..<20).map { Self.variants("\($0)\(name)", arms, salt: salt) }
        }
        let roots = try Self.roots(ExperimentMarks.lines(of: file))
        var found: [String: [String]] = [:]
        for root in roots {
            #expect(root.member("leftOut") == nil)
            for experiment in try #require(root.member("experiments")).elements {
                let rule = try #require(experiment.member("rule")?.string)
                let part = experiment.member("arms")?.elements.compactMap { $0.member("name")?.string } ?? []
                found[rule, default: []] += part
            }
        }
        #expect(found.count == 20 && found.values.allSatisfy { $0 == arms })
    }

    @Test("are limited in bytes, and the last line says how many were left out")
    func leftOut() throws {
        let count = 9000
        let file = try Self.file { model in
            // The rules are for four products, because all of them for one product would be too much work.
            model.rules = (0..<count).map { number in
                var rule = Self.variants("rule-\(number)", ["a", "b"])
                rule.condition = .equal(.productId, .string("p\(number % 4)"))
                return rule
            }
        }
        let lines = ExperimentMarks.lines(of: file)
        let roots = try Self.roots(lines)
        let there = roots.reduce(0) { $0 + ($1.member("experiments")?.count ?? 0) }
        let leftOut = try #require(roots.last?.member("leftOut")?.int64)
        #expect(there > 4000 && there + Int(leftOut) == count)
        #expect(lines.reduce(0) { $0 + $1.count } < 2 << 20)
    }

    @Test("reach the supervisor unchanged, up to the bytes that it accepts")
    func messages() throws {
        let world = try LoaderWorld()
        try world.push(LoaderWorld.rules(), as: "one.rules")
        try world.push(LoaderWorld.rules(app: 2), as: "two.rules")
        let files = try world.load().files
        let messages = Loader.markMessages(files)
        let lines = messages.flatMap { $0.dropFirst() }.split(separator: UInt8(ascii: "\n"))
        #expect(messages.count == 1 && messages[0].first == UInt8(ascii: "M") && lines.count == 2)
        let many = Loader.markMessages([[CheckedFile]](repeating: files, count: 5000).flatMap { $0 })
        #expect(many.allSatisfy { $0.count <= LoaderLimits.markMessageByteCount })
        let total = many.reduce(0) { $0 + $1.count }
        #expect(total <= LoaderLimits.markByteCount && total > LoaderLimits.markByteCount - 1000)
    }
}
