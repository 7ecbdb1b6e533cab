internal import ArgumentParser
internal import RulesCompiler
internal import DataFiles
internal import Decisions
internal import JSON

/// Runs the tests that a rules file carries.
struct TestRules: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Runs the tests in the rules with the service's evaluator.",
        discussion: """
            Ends with 0 if every test passes. If a test fails, the command prints \
            what the test expected and what the decision was, and ends with 1. Rules without tests pass. A test that \
            fails only because Apple has not approved a message yet is printed as waiting, and does not count as \
            failed.

            Example:
              retentionctl test --coverage rules.json
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.")
    var file: String

    @OptionGroup var catalogue: CatalogueOption

    @Flag(name: .long, help: "Also list the rules that no test reaches.")
    var coverage = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let input = try RulesInput(file, catalogue: try catalogue.messages())
        let rules = input.rules
        let results = EmbeddedTests.run(input.resolved.model, rules)
        let reached = Set(results.compactMap(\.decision.ruleIndex))
        let unreached = (0..<rules.ruleCount).filter { !reached.contains($0) }
            .map { rules.ruleID(at: $0) ?? "\($0)" }
        if output.json {
            Console.print(Self.document(results, unreached: coverage ? unreached : nil))
        } else {
            for result in results {
                let outcome = result.awaitsApproval ? "waits " : result.passes ? "ok    " : "FAILED"
                Console.print("\(outcome) \(result.name)")
                for difference in result.differences { Console.print("       \(difference)") }
            }
            let failed = results.count { !$0.passes }
            Console.print("\(results.count) tests, \(failed) failed")
            if coverage {
                Console.print("\(rules.ruleCount - unreached.count) of \(rules.ruleCount) rules reached")
                for name in unreached { Console.print("  no test reaches \(name)") }
            }
        }
        guard results.allSatisfy(\.passes) else { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private static func document(_ results: [TestResult], unreached: [String]?) -> JSONNode {
        var members: [(String, JSONNode)] = [
            (
                "tests",
                .array(
                    results.map { result in
                        .object([
                            ("name", .string(result.name)), ("passes", .boolean(result.passes)),
                            ("awaitsApproval", .boolean(result.awaitsApproval)),
                            (
                                "differences",
                                .array(
                                    result.differences.map { difference in
                                        .object([
                                            ("subject", .string(difference.subject)),
                                            ("expected", .string(difference.expected)),
                                            ("found", .string(difference.found)),
                                        ])
                                    }
                                )
                            ),
                        ])
                    }
                )
            )
        ]
        if let unreached { members.append(("unreached", .array(unreached.map { .string($0) }))) }
        return .object(members)
    }
}
