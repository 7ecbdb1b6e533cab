internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Rules
internal import System

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

    @OptionGroup var environment: RulesEnvironmentOption

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
        let catalogue = try catalogue.messages(environment: environment.environment)
        let rules = (
            old: try RulesInput(old, catalogue: catalogue).rules,
            new: try RulesInput(new, catalogue: catalogue).rules
        )
        guard rules.old.owner == rules.new.owner else {
            throw ToolError(
                code: "input.other-app",
                "rules of \(rules.new.owner); the old ones are of \(rules.old.owner)", file: new)
        }
        let result = try report(old: rules.old, new: rules.new)
        if output.json {
            Console.print(result.json)
        } else {
            Console.report(result.warnings, json: false)
            Console.print(lines: result.lines)
        }
        if exitCode, result.comparison.changedCount > 0 { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// Decides the sample with both files.
    ///
    /// - Throws: the errors of the sample, the facts and the key.
    private func report(old: RulesFile, new: RulesFile) throws -> DiffReport {
        var requests = try Sample(reading: sample, old: old, new: new)
        var known: (old: FactsSource, new: FactsSource)?
        if let facts {
            let file = try CompiledFacts.open(facts, check: .structure)
            known = (try FactsSource(file, facts, for: old), try FactsSource(file, facts, for: new))
            if let identifierKey { try requests.identify(by: identifierKey, among: file) }
        }
        var comparison = DecisionComparison(old: old, new: new, exampleCount: examples)
        let present = at?.milliseconds ?? Clock.wallMilliseconds()
        for request in requests.requests {
            let now = request.nowMilliseconds ?? present
            comparison.add(
                request, atMilliseconds: now, facts: Self.facts(of: request, known, atMilliseconds: now),
                areFactsKnown: areFactsKnown(of: request))
        }
        return DiffReport(
            comparison: comparison, sample: requests, path: sample, nowMilliseconds: present,
            missingOption: facts == nil ? "--facts" : "--identifier-key")
    }

    /// Returns true when the sample or a facts file says what facts the subscriber has, even if that is "no record".
    private func areFactsKnown(of request: SampleRequest) -> Bool {
        if request.facts != nil { return true }
        switch request.subscriber {
        case .originalTransactionId: return facts != nil
        // With the key, every subscriber of the facts file has already been found by its pseudonym.
        case .pseudonym: return identifierKey != nil
        }
    }

    /// Returns the facts of the subscriber: those in the sample, else those in the facts file.
    private static func facts(
        of request: SampleRequest, _ known: (old: FactsSource, new: FactsSource)?, atMilliseconds now: Int64
    ) -> (old: SubscriberFacts, new: SubscriberFacts) {
        let age = request.factsAgeSeconds
        if let facts = request.facts {
            return (.literal(facts.old, ageSeconds: age), .literal(facts.new, ageSeconds: age))
        }
        guard let known else { return (.none(ageSeconds: age), .none(ageSeconds: age)) }
        let unit = request.subscriber.unit
        return (
            known.old.facts(of: unit, atMilliseconds: now, ageSeconds: age),
            known.new.facts(of: unit, atMilliseconds: now, ageSeconds: age)
        )
    }
}
