internal import ArgumentParser
internal import Catalogue
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
            The sample has a JSON object on each line: a request as in the tests of the rules (productId, userLocale, \
            originalTransactionId, and perhaps now, facts and factsAgeSeconds), a decoded payload, or a record of the \
            decision log. Facts that the sample does not have come from --facts. Requests for other apps and environments \
            are left out and counted.

            A record of the decision log has a pseudonym instead of originalTransactionId, so its holdouts, rollouts and \
            variants are drawn as for another subscriber: the shares are right, single records may be wrong. With the \
            service's --identifier-key and a facts file, the command finds the real subscribers.

            If the rules read facts and you do not give them, the command decides as for subscribers without a record, and \
            says so: diff.facts-unknown on standard error, MISLEADING behind the count, isMisleading in JSON. Both \
            files are decided as by a service that can sign everything.

            Ends with 0 when the comparison is made, and with --exit-code with 1 if an answer changes, like git diff.

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
        help: "Requests or decision records, one on each line; - for standard input.",
        completion: .file(extensions: ["ndjson", "jsonl", "log"]))
    var sample: String

    @Option(help: "The facts file, where the subscribers are looked up.", completion: .facts)
    var facts: String?

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var environment: RulesEnvironmentOption

    @Option(help: "The service's identifierKeyFile.", completion: .file())
    var identifierKey: String?

    @Option(help: "The time of requests without one: RFC 3339 or milliseconds since 1970; else now.")
    var at: TimeArgument?

    @Flag(help: "End with 1 when an answer changes.")
    var exitCode = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
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
        if !output.json { Console.report(result.warnings, json: false) }
        output.print(json: result.json, lines: result.lines)
        if exitCode, result.comparison.changedCount > 0 { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func report(old: RulesFile, new: RulesFile) throws -> DiffReport {
        var requests = try Sample(reading: sample, old: old, new: new)
        var known: (old: FactsSource, new: FactsSource)?
        if let facts {
            let file = try CompiledFacts.open(facts, check: .structure)
            known = (try FactsSource(file, facts, for: old), try FactsSource(file, facts, for: new))
            if let identifierKey { try requests.identify(by: identifierKey, among: file) }
        }
        var comparison = DecisionComparison(old: old, new: new)
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

    /// True when the sample or a facts file says what facts the subscriber has, even if that is "no record".
    private func areFactsKnown(of request: SampleRequest) -> Bool {
        if request.facts != nil { return true }
        switch request.subscriber {
        case .originalTransactionId: return facts != nil
        // With the key, every subscriber of the facts file has already been found by its pseudonym.
        case .pseudonym: return identifierKey != nil
        }
    }

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

struct DiffReport {
    let comparison: DecisionComparison
    let sample: Sample
    let path: String
    let nowMilliseconds: Int64
    let missingOption: String

    /// A warning when facts are unknown: the shares then differ from those of the service.
    var warnings: [Finding] {
        let (unknown, total) = (comparison.factsUnknownCount, comparison.requestCount)
        guard unknown > 0 else { return [] }
        return [
            Finding(
                code: "diff.facts-unknown",
                severity: .warning,
                "the rules read facts, which are not known for \(unknown) of \(total) requests: "
                    + "the counts and shares are not those of the service",
                hint: "give \(missingOption)",
                file: path
            )
        ]
    }

    var lines: [String] {
        let (total, changed) = (comparison.requestCount, comparison.changedCount)
        var lines = [
            "\(path): \(CountText.of(total, "request")), "
                + "\(changed) \(changed == 1 ? "answer changes" : "answers change") (\(comparison.share(changed)))"
                + (warnings.isEmpty ? "" : ", MISLEADING: facts unknown for \(comparison.factsUnknownCount)")
        ]
        if comparison.sameAnswerCount > 0 {
            lines.append("\(comparison.sameAnswerCount) decided otherwise and answered alike")
        }
        if sample.otherAppCount > 0 {
            lines.append("\(sample.otherAppCount) of other apps and environments left out")
        }
        if sample.brokenLineCount > 0 {
            lines.append("\(CountText.of(sample.brokenLineCount, "broken line")) of the log left out")
        }
        if comparison.pseudonymCount > 0 {
            lines.append("\(comparison.pseudonymCount) subscribers known by a pseudonym alone")
        }
        lines += comparison.lines(of: comparison.changes) { group in
            group.examples.map { "    line \($0.line): \($0.text(atMilliseconds: nowMilliseconds))" }
        }
        let rows = comparison.rules.map { [$0.source.name, String($0.old), String($0.new)] }
        return lines + [""] + TextTable.lines([["decided by", "old", "new"]] + rows, right: [1, 2])
    }

    var json: JSONNode {
        .object([
            ("requests", JSONNode(comparison.requestCount)),
            ("changed", JSONNode(comparison.changedCount)),
            ("decidedOtherwise", JSONNode(comparison.sameAnswerCount)),
            ("otherApps", JSONNode(sample.otherAppCount)),
            ("brokenLines", JSONNode(sample.brokenLineCount)),
            ("pseudonyms", JSONNode(comparison.pseudonymCount)),
            ("factsUnknown", JSONNode(comparison.factsUnknownCount)),
            ("isMisleading", .boolean(!warnings.isEmpty)),
            ("warnings", .array(warnings.map(\.json))),
            ("changes", .array(comparison.changes.map(node))),
            (
                "rules",
                .array(
                    comparison.rules.map {
                        .object(
                            $0.source.members + [
                                ("old", JSONNode($0.old)), ("new", JSONNode($0.new)),
                            ]
                        )
                    }
                )
            ),
        ])
    }

    private func node(_ group: DecisionComparison.Group) -> JSONNode {
        .object([
            ("count", JSONNode(group.count)), ("old", .object(group.change.old.members)),
            ("new", .object(group.change.new.members)), ("examples", .array(group.examples.map(node))),
        ])
    }

    private func node(_ request: SampleRequest) -> JSONNode {
        let subscriber: (String, JSONNode) =
            switch request.subscriber {
            case .originalTransactionId(let text): ("originalTransactionId", .string(text))
            case .pseudonym(let text): ("subscriber", .string(text))
            }
        let now = request.nowMilliseconds ?? nowMilliseconds
        return .object([
            ("line", JSONNode(request.line)), ("productId", .string(request.productId)),
            ("userLocale", .string(request.userLocale)), subscriber,
            ("now", .string(FactText.date(now))),
        ])
    }
}
