internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Reply
internal import Rules
internal import System

struct Explain: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows step by step how a request is decided, and the answer to it.",
        discussion: """
            The facts of the subscriber come from a facts file (--facts app.facts), from the command line (--facts \
            '{"inTrial": false}', --fact inTrial=false), or from both. Without these options the subscriber has no \
            record.

            Prints every step with the values that it saw, each condition below its group or segment, and the rules \
            that were drawn for the subscriber and did not serve (assigned). The last line is the answer \
            byte for byte, but that placeholders stand for what the service would sign. If nothing is served, Apple uses its \
            own fallback: the message of App Store Connect, then the default message. Ends with 0 in either case. \
            --no-key shows what a service without a key serves.

            Example:
              retentionctl explain rules.json --product pro_monthly \\
                --locale de-AT --subscriber 2000000002 \\
                --facts app.facts --fact inTrial=true \\
                --at 2026-11-21T00:00:00Z
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file())
    var file: String

    @Option(help: "The product the subscriber is on.")
    var product: String

    @Option(help: "The locale of the subscriber's device.")
    var locale = "en-US"

    @Option(help: "The subscriber's originalTransactionId.")
    var subscriber = "1"

    @Option(
        help: ArgumentHelp(
            "Explain the first of 10,000 subscribers, counted up from --subscriber, who gets this arm.",
            valueName: "rule/arm"))
    var findArm: String?

    @Option(help: "The time of the request: RFC 3339 or milliseconds since 1970; now if absent.")
    var at: TimeArgument?

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var known: SubscriberOptions
    @OptionGroup var environment: RulesEnvironmentOption

    @Flag(help: "Decide like a service without a signing key: skip rules whose outcome needs a signature.")
    var noKey = false

    @Option(help: "The service's offerSignature: v1 or v2.")
    var offerSignature = OfferSignature.v2

    @OptionGroup var output: OutputOptions

    func run() throws {
        let messages = try catalogue.messages(environment: environment.environment)
        let input = try RulesInput(file, catalogue: messages)
        try environment.check(input)
        let rules = input.rules
        try input.check(product: product)
        var request = DecisionRequest(
            appAppleId: rules.appAppleId, environment: rules.environment, productId: product,
            userLocale: locale, originalTransactionId: subscriber,
            nowMilliseconds: at?.milliseconds ?? Clock.wallMilliseconds(), signing: noKey ? [] : .all)
        let facts: SubscriberFacts
        (request.originalTransactionId, facts) = try subscriber(of: request, in: input)
        let explanation = explain(request, facts: facts, using: rules)
        let outcome = SignedOutcome.placeholder(
            for: explanation.decision.outcome, in: rules, answering: request, form: offerSignature)
        let report = ExplanationReport(
            explanation: explanation, rules: rules, answer: Answer(serving: outcome))
        output.print(json: report.json, lines: report.lines)
    }

    private func subscriber(of request: DecisionRequest, in input: RulesInput) throws
        -> (originalTransactionId: String, SubscriberFacts)
    {
        var request = request
        let facts = { (id: String) in
            try known.known(of: id, input.rules, input.enumerations, atMilliseconds: request.nowMilliseconds)
        }
        guard let findArm else { return (subscriber, try facts(subscriber)) }
        guard let first = UInt64(subscriber) else {
            throw ValidationError("--find-arm counts up from a number.")
        }
        for number in UInt64(0)..<10_000 {
            request.originalTransactionId = String(first &+ number)
            let own = try facts(request.originalTransactionId)
            let decision = NamedDecision(decide(request, facts: own, using: input.rules), in: input.rules)
            if let rule = decision.rule, let arm = decision.arm, "\(rule)/\(arm)" == findArm {
                return (request.originalTransactionId, own)
            }
        }
        throw ToolError(
            .no, code: "explain.no-subscriber",
            "none of 10,000 subscribers from \(subscriber) on gets \(findArm)",
            hint: "see why: retentionctl explain without --find-arm", file: file)
    }
}

private struct ExplanationReport {
    let explanation: Explanation
    let rules: RulesFile
    let answer: Answer

    private var decision: Decision { explanation.decision }
    private var isSigned: Bool { !decision.outcome.neededSigning.isEmpty }

    var lines: [String] {
        let request = explanation.request
        var lines = [
            "request: \(request.productId) \(request.userLocale) \(request.originalTransactionId) at "
                + FactText.date(request.nowMilliseconds),
            "facts: \(known)",
        ]
        if explanation.facts.isFound {
            lines += explanation.declaredFacts.map { name, value in "  \(name): \(value?.text ?? "missing")" }
        }
        lines += explanation.lines.map { line in
            let indent = String(repeating: "  ", count: line.depth)
            return "\(indent)\(line.step):" + (line.result.isEmpty ? "" : " \(line.result)")
        }
        lines += NamedDecision(decision, in: rules).assignedLines
        if let shadow = NamedDecision(shadowOf: decision, in: rules) {
            // The caps apply to a subscriber who is held out as well.
            let missing = decision.isHeldOut ? "holdout" : "caps"
            lines.append("without \(missing): \(shadow.text)")
            lines += shadow.assignedLines.map { "without \(missing), \($0)" }
        }
        if decision.outcome == .nothing {
            lines.append(
                "what is shown: Apple's own fallback, the message of App Store Connect or the default"
            )
        }
        if isSigned { lines.append("signature: a placeholder; the service makes one for each request") }
        lines.append("answer: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        return lines
    }

    private var known: String {
        let age = explanation.facts.ageSeconds.map { ", \($0) s old" } ?? ""
        return (explanation.facts.isFound ? "a record" : "no record of the subscriber") + age
    }

    var json: JSONNode {
        let steps = explanation.lines.dropLast().map { line in
            JSONNode.object([
                ("depth", .integer(Int64(line.depth))), ("step", .string(line.step)),
                ("result", .string(line.result)),
            ])
        }
        let facts = explanation.declaredFacts.map { ($0.name, $0.value.node) }
        var members: [(String, JSONNode)] = [
            ("request", requestNode),
            ("factsFound", .boolean(explanation.facts.isFound)),
            ("factsAgeSeconds", explanation.facts.ageSeconds.map { .integer($0) } ?? .null),
            ("facts", explanation.facts.isFound ? .object(facts) : .null),
            ("steps", .array(steps)),
        ]
        members += NamedDecision(decision, in: rules).members
        members.append(("heldOut", .boolean(decision.isHeldOut)))
        let shadow = NamedDecision(shadowOf: decision, in: rules).map { JSONNode.object($0.members) }
        members.append(("shadow", shadow ?? .null))
        members.append(("signature", isSigned ? .string("placeholder") : .null))
        members.append(("answer", answerNode))
        return .object(members)
    }

    private var requestNode: JSONNode {
        let request = explanation.request
        return .object([
            ("appAppleId", .integer(request.appAppleId)),
            ("environment", .string(request.environment.rawValue)),
            ("productId", .string(request.productId)),
            ("userLocale", .string(request.userLocale)),
            ("originalTransactionId", .string(request.originalTransactionId)),
            ("now", .string(FactText.date(request.nowMilliseconds))),
        ])
    }

    private var answerNode: JSONNode {
        .object([
            ("status", .integer(Int64(answer.status))),
            ("contentType", .string(answer.contentType)),
            ("body", .string(String(decoding: answer.body, as: UTF8.self))),
        ])
    }
}
