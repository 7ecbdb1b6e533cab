@testable import Facts
@testable import Rules
import Support
import System
import Testing

/// `LimitTests` has the limits of rules, conditions and fallbacks.
@Suite("The work of reading rules")
struct WorkLimitTests {
    @Test("is bounded for segments that name each other many times")
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
        #expect(findings.count == 1 && findings.first?.code == "rules.too-many")
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
        let limit = DataFileLimits.indexedProductCount
        for (count, isAny) in [(limit, false), (limit + 1, true)] {
            let list = (0..<count).map { FactValue.string("p\($0)") }
            #expect((ProductSet(.isIn(.productId, list), SegmentProducts([])) == .any) == isAny)
        }
    }
}
