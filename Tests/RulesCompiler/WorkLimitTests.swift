import DataFileWriting
import DataFiles
import Support
import System
import Testing
import Vocabulary

@testable import RulesCompiler
import RulesReading

/// `LimitTests` has what the compiler refuses.
@Suite("The work of one decision")
struct WorkLimitTests {
    private static func source(ruleCount: Int) -> [UInt8] {
        let rules = (0..<ruleCount).map { #"{ "id": "r\#($0)", "serve": "none" }"# }
        return Array((GoodSource.head + "\"rules\": [ \(rules.joined(separator: ",")) ] }").utf8)
    }

    /// Returns the loader's refusal of a model that the compiler would refuse; nil when it takes the file.
    private static func refusal(_ model: RulesModel) throws -> DataFileError? {
        let bytes = RulesFileWriter.write(model, stamp: RulesCompilerTests.stamp)
        do throws(DataFileError) {
            _ = try RulesFile(bytes: bytes, check: .full)
            return nil
        } catch {
            #expect(error.code == "data-file.too-much-work" || error.code == "data-file.locale-cycle")
            return error
        }
    }

    @Test("is bounded by the loader, too: rules, conditions and fallbacks")
    func loader() throws {
        var model = try RulesCompiler.model(of: Self.source(ruleCount: 1))
        let rule = model.rules[0]
        for (excess, place) in [(0, nil), (1, "rules")] {
            model.rules = (0..<DataFileLimits.ruleCount + excess).map { number in
                var rule = rule
                rule.id = "r\(number)"
                return rule
            }
            #expect(try Self.refusal(model)?.section == place)
        }
        // A segment of ten conditions, and one that names it 999 times.
        let predicate = Condition.isIn(.productId, [.string("p")])
        model.segments = [
            .init(name: "a", condition: .all(Array(repeating: predicate, count: 9))),
            .init(name: "b", condition: .any(Array(repeating: .segment(0), count: 999))),
        ]
        for (count, place) in [(10, nil), (11, "rules")] {
            model.rules = (0..<count).map { number in
                var rule = rule
                rule.id = "r\(number)"
                rule.condition = .segment(1)
                return rule
            }
            #expect(try Self.refusal(model)?.section == place)
        }
        (model.rules, model.segments) = ([rule], [])
        let limit = DataFileLimits.fallbackStepCount
        for (count, place) in [(limit, nil), (limit + 1, "localeFallbacks")] {
            model.localeFallbacks = (0..<count).map { .init(locale: "a\($0)", fallback: "a\($0 + 1)") }
            #expect(try Self.refusal(model)?.section == place)
        }
    }

    @Test("is bounded for strings that were chosen to collide in the string table")
    func hashes() throws {
        // 8,000 strings need 16,384 buckets. The hashes of these strings lie in an eighth of the buckets, so the
        // strings push each other into later buckets.
        var texts: [String] = []
        var number = 0
        while texts.count < 8000 {
            let text = "p\(number)"
            if Array(text.utf8).span.wordHash & 16_383 < 2048 { texts.append(text) }
            number += 1
        }
        var model = try RulesCompiler.model(of: Self.source(ruleCount: 1))
        // The loader accepts the same number of other strings.
        for (list, place) in [((0..<8000).map { "p\($0)" }, nil), (texts, "stringIndex")] {
            model.rules[0].condition = .isIn(.productId, list.map { .string($0) })
            #expect(try Self.refusal(model)?.section == place)
        }
    }

    @Test("of the compiler is bounded, too: segments that name each other many times are refused")
    func segments() throws {
        // Every segment leaves out a different number of products, and names the segments before it 900 times.
        let products = (0..<2000).map { "\"p\($0)\"" }
        var segments: [String] = []
        for place in 0..<18 {
            let list =
                #"{ "fact": "productId", "in": [\#(products.dropFirst(place).joined(separator: ","))] }"#
            let others = (0..<(place == 0 ? 0 : 900)).map { #"{ "segment": "s\#($0 % place)" }"# }
            segments.append(#""s\#(place)": { "any": [\#(([list] + others).joined(separator: ","))] }"#)
        }
        let members =
            #""segments": { \#(segments.joined(separator: ",\n")) }, "#
            + #""rules": [ { "id": "r", "when": { "segment": "s17" }, "serve": "none" } ]"#
        let findings = CompileErrorTests.findings(GoodSource.head + members + " }")
        #expect(findings.count == 1 && findings.first?.code == "rules.too-much-work")
        #expect(findings.first?.path == "rules[0]")
    }

    @Test("of finding products ends at a limit, and the result then excludes no product")
    func steps() {
        let names = (0..<100).map { FactValue.string("p\($0)") }
        let condition: Condition = .any([.isIn(.productId, names), .equal(.productId, .string("x"))])
        let segments = [RulesModel.Segment(name: "s", condition: condition)]
        guard case .some(let products) = SegmentProducts(segments)[0] else {
            Issue.record("the segment stands for any product")
            return
        }
        #expect(products.count == 101)
        // 100 steps read the list, 100 take over its set, and one takes over the other product.
        #expect(SegmentProducts(segments, steps: 201)[0] == .some(products))
        #expect(SegmentProducts(segments, steps: 200)[0] == .any)
        #expect(SegmentProducts(segments, steps: 99)[0] == .any)
        // A set that is too large becomes any product.
        let limit = RulesSourceLimits.productSetLimit
        for (count, isAny) in [(limit, false), (limit + 1, true)] {
            let list = (0..<count).map { FactValue.string("p\($0)") }
            #expect((ProductSet(.isIn(.productId, list), SegmentProducts([])) == .any) == isAny)
        }
    }
}
