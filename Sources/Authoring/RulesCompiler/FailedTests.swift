public import DataFiles
internal import Decisions
internal import JSON

extension RulesCompiler {
    /// The embedded tests of a compiled file that fail, with their places in the source. Whoever loads the file runs
    /// them too and refuses it then.
    public static func failedTests(of file: RulesFile, source: [UInt8]) -> [RulesDiagnostic] {
        let positions = JSONPositions(source: source.withoutByteOrderMark)
        return EmbeddedTests.run(file).filter { !$0.passes }.prefix(RulesCompilerLimits.diagnosticCount).map {
            test in
            let path: JSONPath = [.member("tests"), .index(test.index), .member("expect")]
            let differences = test.differences.map(\.description).joined(separator: "; ")
            return RulesDiagnostic(
                code: "embedded-test-failed",
                message: "the test \"\(test.name)\" fails: \(differences)",
                hint: nil,
                position: positions.value(at: path),
                path: path.text
            )
        }
    }
}
