internal import DataFiles
internal import Decisions
internal import JSON
public import Vocabulary
internal import RulesReading

extension RulesCompiler {
    /// Returns a finding for each embedded test of a compiled file that fails, with its place in the source; at most
    /// ``RulesSourceLimits/findingCount``. The loader runs the same tests and refuses a file in which one fails.
    public static func failedTests(of rules: ResolvedRules, source: [UInt8]) -> [Finding] {
        let positions = JSONPositions(source: source.withoutByteOrderMark)
        return EmbeddedTests.run(rules.model, rules.file).filter { !$0.passes }.prefix(
            RulesSourceLimits.findingCount
        ).map {
            test in
            let path: JSONPath = [.member("tests"), .index(test.index), .member("expect")]
            let differences = test.differences.map(\.description).joined(separator: "; ")
            let position = positions.value(at: path)
            return Finding(
                code: "embedded-test-failed", "the test \"\(test.name)\" fails: \(differences)",
                line: position?.line, column: position?.column, path: path.text)
        }
    }
}
