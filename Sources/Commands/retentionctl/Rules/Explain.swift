internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import JSON
internal import Reply
internal import Rules
internal import SignedPayloads
internal import System

struct Explain: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows step by step how a request is decided, and the answer to it.",
        discussion: """
            App and environment are those of the file, unless you give others. \
            The facts of the subscriber come from a facts file (--facts app.facts), from the command line (--facts \
            '{"inTrial": false}', --fact inTrial=false), or from both. Without these options the subscriber has no \
            record.

            Prints every step with the values that it saw, each condition below its group or segment, and the rules \
            that were drawn for the subscriber and then could not be served (assigned). The last line is the answer \
            byte for byte. With --json each step has its values in details. If nothing is served, Apple uses its own \
            fallback: the message of App Store Connect, then the default message. The command ends with 0 in either \
            case.

            The command decides like a service that has a key and signs promotional offers and Advanced Commerce \
            requests. Instead of the values that the service would sign for this one request, it prints placeholders; \
            the rest of the answer is byte for byte the same. With --key it signs. --no-key shows what \
            a service without a key serves, and --advanced-commerce off what a service with that setting serves.

            Example:
              retentionctl explain rules.json --product pro_monthly \\
                --locale de-AT --subscriber 2000000002 \\
                --facts app.facts --fact inTrial=true \\
                --at 2026-11-21T00:00:00Z
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The product the subscriber is on.", valueName: "id"))
    var product: String

    @Option(help: ArgumentHelp("The locale of the subscriber's device.", valueName: "locale"))
    var locale = "en-US"

    @Option(help: ArgumentHelp("The subscriber's originalTransactionId.", valueName: "id"))
    var subscriber = "1"

    @Option(
        help: ArgumentHelp(
            "Explain the first of 10,000 subscribers, counted up from --subscriber, who gets this arm of a rule's variants.",
            valueName: "rule/arm"))
    var findArm: String?

    @Option(
        help: ArgumentHelp(
            "The time of the request: RFC 3339 or milliseconds since 1970; now if absent.", valueName: "time")
    )
    var at: TimeArgument?

    @Option(help: ArgumentHelp("The appAppleId of the request.", valueName: "number"))
    var app: Int64?

    @Option(help: ArgumentHelp("The environment of the request.", valueName: "name"))
    var environment: Environment?

    @OptionGroup var catalogue: CatalogueOption

    @OptionGroup var known: SubscriberOptions

    @OptionGroup var signing: SigningKeyOptions

    @Flag(
        name: .customLong("no-answer-empty"),
        help: "Print the answer of a service whose setting noAnswer is \"empty\"."
    )
    var noAnswerIsEmpty = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let input = try RulesInput(file, catalogue: try catalogue.messages(environment: environment))
        let rules = input.rules
        let products = input.resolved.model.products.map(\.name)
        if !products.isEmpty, !products.contains(product) {
            throw ToolError(
                code: "explain.undeclared-product", "the rules declare no product \"\(product)\"",
                hint: Hint.choice(product, among: products), file: file)
        }
        let now = at?.milliseconds ?? Clock.wallMilliseconds()
        var request = DecisionRequest(
            appAppleId: app ?? rules.appAppleId, environment: environment ?? rules.environment,
            productId: product, userLocale: locale, originalTransactionId: subscriber, nowMilliseconds: now,
            signing: signing.capabilities)
        let facts: SubscriberFacts
        (request.originalTransactionId, facts) = try subscriber(of: request, in: input)
        let signer = try signing.signer(for: rules)
        let signed = signer.map { decideAndSign(request, facts: facts, using: rules, signer: $0) }
        // A rule whose outcome could not be signed is passed over here, as in the service.
        if let signed { request.signing = signed.signing }
        let explanation = explain(request, facts: facts, using: rules)
        let decided = explanation.decision.outcome
        let outcome =
            if let signed {
                signed.outcome
            } else {
                SignedOutcome.placeholder(
                    for: decided, in: rules, answering: request, form: signing.offerSignature)
            }
        let answer =
            Self.refusal(of: request, by: rules).map { .problem($0) }
            ?? Answer(serving: outcome, noAnswerIsEmpty: noAnswerIsEmpty)
        let report = ExplanationReport(
            explanation: explanation, rules: rules,
            isSigned: decided.neededSigning.isEmpty ? nil : signed != nil,
            answer: answer)
        if output.json {
            Console.print(report.json)
        } else {
            Console.print(lines: report.lines)
        }
    }

    /// Returns the subscriber to explain, with the facts: the one that was given, or the first who gets the wanted arm.
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

    /// Returns the problem with which a service that has only this file refuses a request for another app or
    /// environment; nil when the request fits the file. The service refuses such a request before any decision.
    private static func refusal(of request: DecisionRequest, by rules: RulesFile) -> Problem? {
        guard request.appAppleId == rules.appAppleId else { return .refused(.appUnknown) }
        guard request.environment != rules.environment else { return nil }
        return request.environment == .xcode ? .refused(.environmentNotConfigured) : .rulesMissing
    }
}
