import DataFiles
import DataFileWriting
import Support
import Testing

@Suite("Segments in a rules file")
struct SegmentCircleTests {
    /// Returns the code with which the checker refuses a file whose segments have these conditions, or "opened".
    private static func refusal(_ conditions: [Condition], rule: Condition? = nil) -> String {
        var model = RuleWorld.model
        model.segments = conditions.enumerated().map { .init(name: "s\($0)", condition: $1) }
        model.rules = [.init(id: "r", outcome: .nothing)]
        model.rules[0].condition = rule ?? .segment(0)
        do throws(DataFileError) {
            _ = try RulesFile(bytes: RulesFileWriter.write(model, stamp: ReferenceTests.stamp), check: .full)
            return "opened"
        } catch {
            return error.code
        }
    }

    private static let leaf: Condition = .equal(.productId, .string("p"))

    @Test(
        "refer only to earlier segments: never to themselves, directly or in a cycle, nor to a missing segment"
    )
    func circles() {
        let refused = "data-file.bad-reference"
        #expect(Self.refusal([Self.leaf, .segment(0)], rule: .segment(1)) == "opened")
        #expect(Self.refusal([.segment(0)]) == refused)
        #expect(Self.refusal([.all([Self.leaf, .not(.segment(0))])]) == refused)
        #expect(Self.refusal([.segment(1), Self.leaf]) == refused)
        #expect(Self.refusal([.segment(1), .segment(0)]) == refused)
        #expect(Self.refusal([Self.leaf, .segment(1)]) == refused)
        #expect(Self.refusal([Self.leaf, .any([.segment(0), .segment(1)])]) == refused)
        #expect(Self.refusal([.segment(2), .segment(0), .segment(1)]) == refused)
        #expect(Self.refusal([Self.leaf], rule: .segment(1)) == refused)
        // The largest number of segments; a rule names the last segment.
        let many = [Self.leaf] + (0..<255).map { Condition.segment($0) }
        #expect(Self.refusal(many, rule: .segment(255)) == "opened")
        #expect(Self.refusal(many, rule: .segment(256)) == refused)
    }

    @Test("hold conditions as deep as the language allows, and no deeper")
    func depth() {
        func nested(_ depth: Int) -> Condition {
            (0..<depth).reduce(Self.leaf) { inner, level in level % 2 == 0 ? .not(inner) : .all([inner]) }
        }
        #expect(Self.refusal([nested(8)]) == "opened")
        #expect(Self.refusal([nested(9)]) == "data-file.bad-condition")
        #expect(Self.refusal([Self.leaf], rule: nested(8)) == "opened")
        #expect(Self.refusal([Self.leaf], rule: nested(9)) == "data-file.bad-condition")
    }
}
