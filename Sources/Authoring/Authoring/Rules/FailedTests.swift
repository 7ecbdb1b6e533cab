internal import Facts
internal import JSON
internal import Rules
package import System

extension RulesCompiler {
    /// Returns a finding for each embedded test of a compiled file that fails, with its place in the source, the step at which the
    /// expected rule failed, and the command that explains the decision; at most ``RulesSourceLimits/findingCount``. The loader runs the same tests
    /// and refuses a file in which one fails.
    package static func failedTests(
        of rules: ResolvedRules, source: [UInt8], path file: String = "rules.json"
    ) -> [Finding] {
        let positions = JSONPositions(source: source.withoutByteOrderMark)
        let failed = EmbeddedTests.run(rules.model, rules.file).filter { !$0.passes }
        return failed.prefix(RulesSourceLimits.findingCount).map { result in
            let path: JSONPath = [.member("tests"), .index(result.index), .member("expect")]
            let test = rules.model.tests[result.index]
            let differences =
                result.differences.map(\.description) + [failedStep(test, rules)].compactMap { $0 }
            let position = positions.value(at: path)
            return Finding(
                code: "embedded-test-failed",
                "the test \"\(result.name)\" fails: \(differences.joined(separator: "; "))",
                hint: "see: retentionctl explain \(file) \(arguments(test, rules.model))",
                line: position?.line, column: position?.column, path: path.text)
        }
    }

    /// Returns the step at which the rule failed that a test expects, with its values; nil when it expects another thing.
    private static func failedStep(_ test: RulesModel.EmbeddedTest, _ rules: ResolvedRules) -> String? {
        guard case .rule(let index)? = test.expectation.rule, let id = rules.file.ruleID(at: index) else {
            return nil
        }
        let facts = EmbeddedTests.facts(of: test, rules.model.facts.count)
        let explanation = explain(
            EmbeddedTests.request(of: test, rules.file), facts: facts, using: rules.file)
        var isInRule = false
        var step: String?
        for line in explanation.lines {
            if line.depth == 0 { isInRule = line.step == "rule" && line.result == id }
            if line.step == "rule", line.result == "\(id) (not for this product)" { step = line.result }
            if line.depth == 1, isInRule { step = "\(id): \(line.step): \(line.result)" }
        }
        return step
    }

    /// Returns the request of a test as arguments of `explain`.
    private static func arguments(_ test: RulesModel.EmbeddedTest, _ model: RulesModel) -> String {
        func quoted(_ text: String) -> String {
            text.utf8.allSatisfy {
                $0 > 0x2C && $0 < 0x7B && $0 != 0x3B && $0 != 0x3C && $0 != 0x3E && $0 != 0x60
            }
                ? text : "'\(text.replacing("'", with: #"'\''"#))'"
        }
        var words = [
            "--product \(quoted(test.productId))", "--locale \(quoted(test.userLocale))",
            "--subscriber \(quoted(test.originalTransactionId))",
            "--at \(CivilTime(milliseconds: test.nowMilliseconds).exactDescription)",
        ]
        if let facts = test.facts {
            let members = facts.compactMap { fact -> (String, JSONNode)? in
                guard case .declared(let index) = fact.fact else { return nil }
                let value: JSONNode =
                    switch fact.value {
                    case .string(let text): .string(text)
                    case .integer(let number): .integer(number)
                    case .boolean(let truth): .boolean(truth)
                    case .date(let time): .string(CivilTime(milliseconds: time).exactDescription)
                    }
                return (model.facts[index].name, value)
            }
            words.append(
                "--facts \(quoted(String(decoding: JSONNode.object(members).serialized(), as: UTF8.self)))")
        }
        if let age = test.factsAgeSeconds { words.append("--facts-age \(age)") }
        return words.joined(separator: " ")
    }
}
