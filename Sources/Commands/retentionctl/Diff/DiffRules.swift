internal import ArgumentParser
internal import DataFiles
internal import JSON
internal import Vocabulary

/// Decides a sample of requests with two rules files and reports which answers change.
struct DiffRules: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Decides a sample of requests with two rules files and shows which answers change.",
        discussion: """
            The sample has a JSON object on each line: a \
            request as in the tests of the rules (productId, userLocale, originalTransactionId, and perhaps now, facts \
            and factsAgeSeconds), a decoded payload, or a record of the decision log. Facts that the sample does not \
            have come from --facts. Requests for other apps and environments are left out and counted.

            A record of the decision log has a pseudonym instead of originalTransactionId. So its holdouts, rollouts \
            and variants are drawn as for another subscriber: the shares are right, but single records may be wrong, \
            and the report counts these records. If you give the service's --identifier-key and a facts file, the \
            command finds the real subscribers.

            Neither the decision log nor a payload has facts. If the rules read facts and you do not give them, the \
            command decides as for subscribers without a record. The shares are then not those of the service, and the \
            report says so: diff.facts-unknown on standard error, MISLEADING behind the count, isMisleading in JSON.

            Both files are decided as by a service that can sign everything, so that offers and Advanced Commerce \
            requests are compared in full. To see what a service decides without a key or without Advanced Commerce, \
            use explain.

            Ends with 0 when the comparison is made. With --exit-code it ends with 1 if an answer changes, like git \
            diff.

            Example:
              retentionctl diff live.rules.json rules.json \\
                --sample decisions.ndjson --facts app.facts
            """
    )

    @Argument(help: "The old rules in JSON.", completion: .file())
    var old: String

    @Argument(help: "The new rules in JSON.", completion: .file())
    var new: String

    @Option(
        help: ArgumentHelp("Requests or decision records, a JSON object on each line; - for standard input."),
        completion: .file(extensions: ["ndjson", "jsonl", "log"])
    )
    var sample: String

    @Option(
        help: ArgumentHelp("The facts file, where the subscribers are looked up.", valueName: "file"),
        completion: .file(extensions: ["facts"])
    )
    var facts: String?

    @OptionGroup var catalogue: CatalogueOption

    @Option(help: ArgumentHelp("The service's identifierKeyFile.", valueName: "file"), completion: .file())
    var identifierKey: String?

    @Option(
        help: ArgumentHelp(
            "The time of requests that do not have one: RFC 3339 or milliseconds since 1970; now if absent.",
            valueName: "time")
    )
    var at: TimeArgument?

    @Option(help: ArgumentHelp("How many examples to show of each change.", valueName: "number"))
    var examples = 3

    @Flag(help: "End with 1 when an answer changes.")
    var exitCode = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...1000).contains(examples) else {
            throw ValidationError("--examples must be from 0 to 1000.")
        }
        guard [old, new, sample].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Only one of the inputs can be standard input.")
        }
        guard identifierKey == nil || facts != nil else {
            throw ValidationError("--identifier-key needs --facts, whose subscribers it names.")
        }
    }

    func run() throws {
        let catalogue = try catalogue.messages()
        let rules = (
            old: try RulesInput(old, catalogue: catalogue).rules,
            new: try RulesInput(new, catalogue: catalogue).rules
        )
        guard rules.old.owner == rules.new.owner else {
            throw ToolFailure(
                .badData, code: "diff.other-app",
                "rules of \(rules.new.owner); the old ones are of \(rules.old.owner)", file: new)
        }
        let diff = DecisionDiff(
            samplePath: sample, factsPath: facts, identifierKeyPath: identifierKey,
            atMilliseconds: at?.milliseconds, exampleCount: examples)
        let report = try diff.report(old: rules.old, new: rules.new)
        if output.json {
            Console.print(pretty: report.json)
        } else {
            Console.report(report.warnings, json: false)
            Console.print(lines: report.lines)
        }
        if exitCode, report.comparison.changedCount > 0 { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
