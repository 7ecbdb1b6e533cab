internal import Answers
internal import ArgumentParser
internal import DataFiles
internal import Decisions
internal import JSON
internal import OfferSigning
internal import SignedPayloads
internal import System
internal import Vocabulary

/// Decides one request as the service would, and shows every step.
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
            the rest of the answer is byte for byte the same. With --signing-key it signs. --no-signing-key shows what \
            a service without a key serves, and --advanced-commerce off what a service with that setting serves.

            Example:
              retentionctl explain rules.json --product pro_monthly \\
                --locale de-AT --transaction 2000000002 \\
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
    var transaction = "1"

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

    @OptionGroup var subscriber: SubscriberOptions

    @OptionGroup var signing: SigningKeyOptions

    @Flag(
        name: .customLong("no-answer-empty"),
        help: "Print the answer of a service whose setting noAnswer is \"empty\"."
    )
    var noAnswerIsEmpty = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let input = try RulesInput(file, catalogue: try catalogue.messages())
        let rules = input.rules
        let now = at?.milliseconds ?? Clock.wallMilliseconds()
        var request = DecisionRequest(
            appAppleId: app ?? rules.appAppleId, environment: environment ?? rules.environment,
            productId: product, userLocale: locale, originalTransactionId: transaction, nowMilliseconds: now,
            signing: signing.capabilities)
        let facts = try subscriber.known(of: transaction, rules, input.enumerations, atMilliseconds: now)
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
        let shown: ShownSignature = signed == nil ? .placeholder : .real
        let answer =
            Self.refusal(of: request, by: rules).map { .problem($0) }
            ?? Answer(serving: outcome, noAnswerIsEmpty: noAnswerIsEmpty)
        let report = ExplanationReport(
            explanation: explanation, rules: rules, signature: decided.neededSigning.isEmpty ? nil : shown,
            answer: answer)
        if output.json {
            Console.print(pretty: report.json)
        } else {
            Console.print(lines: report.lines)
        }
    }

    /// Returns the problem with which a service that has only this file refuses a request for another app or
    /// environment; nil when the request fits the file. The service refuses such a request before any decision.
    private static func refusal(of request: DecisionRequest, by rules: RulesFile) -> Problem? {
        guard request.appAppleId == rules.appAppleId else { return .refused(.appUnknown) }
        guard request.environment != rules.environment else { return nil }
        return request.environment == .xcode ? .refused(.environmentNotConfigured) : .rulesMissing
    }
}
