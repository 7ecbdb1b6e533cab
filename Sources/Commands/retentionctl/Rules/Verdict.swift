internal import DataFiles
internal import Decisions
internal import JSON
internal import Vocabulary

/// What a request came to, in names: enough to tell two decisions apart and to show them.
struct Verdict: Hashable {
    let reason: DecisionReason
    let rule: String?
    let arm: String?
    /// `message value_reminder`, `switch go_annual to pro_annual`, `nothing`.
    let serves: String
    /// What is served beside the identifier, as another file would have it: its message is number 0.
    let content: RulesModel.Outcome
    let message: String?
    let locale: String?
    /// The message's identifier as Apple knows it.
    let identifier: String?
    /// What was drawn before and could not be served.
    let assigned: [AssignedRule]

    /// A decision by a file.
    init(_ decision: Decision, in file: RulesFile) {
        reason = decision.reason
        rule = decision.ruleID(in: file)
        arm = decision.armName(in: file)
        message = decision.messageName(in: file)
        locale = decision.localeUsed(in: file)
        // What was drawn for one who is held out was drawn in the shadow.
        assigned = decision.isHeldOut ? [] : AssignedRule.all(of: decision, in: file)
        switch decision.outcome {
        case .nothing: identifier = nil
        case .serve(_, let identifier): self.identifier = identifier.description
        }
        content = Self.content(of: decision.outcome, in: file)
        serves = Self.text(of: content, message)
    }

    /// What the holdout or the caps kept from the subscriber; nil when neither did.
    init?(shadowOf decision: Decision, in file: RulesFile) {
        guard let shadow = decision.shadow else { return nil }
        assigned = decision.isHeldOut ? AssignedRule.all(of: decision, in: file) : []
        reason = shadow.reason
        rule = shadow.ruleID(in: file)
        arm = shadow.armName(in: file)
        message = shadow.messageName(in: file)
        (locale, identifier) = (nil, nil)
        content = Self.content(of: shadow.outcome, in: file)
        serves = Self.text(of: content, message)
    }

    /// Where it comes from: a rule with its arm, the default, or the reason why there is neither.
    var origin: String { arm.map { "\(source.name)/\($0)" } ?? source.name }

    /// Who decided: a rule, whatever its arm, or what stands instead of one.
    enum Source: Hashable {
        case rule(String)
        case reason(DecisionReason)

        /// The rule's id, `default`, or the reason; a rule whose id is one of these words is `rule default`.
        var name: String {
            switch self {
            case .reason(let reason): reason == .default ? "default" : reason.rawValue
            case .rule(let id): Self.words.contains(id) ? "rule \(id)" : id
            }
        }

        private static let words = Set(DecisionReason.allCases.map(\.rawValue) + ["default"])
    }

    /// Who decided.
    var source: Source { rule.map { .rule($0) } ?? .reason(reason) }

    /// Whether the same would be sent.
    func isAnsweredAlike(_ other: Verdict) -> Bool {
        content == other.content && identifier == other.identifier
    }

    /// `annual_upsell/switch: switch go_annual to pro_annual, en-US ed7f25fc-5741-46a3-8502-062e0fb8afd0`
    var text: String {
        let place = [locale, identifier].compactMap { $0 }.joined(separator: " ")
        return "\(origin): \(serves)" + (place.isEmpty ? "" : ", \(place)")
    }

    /// `assigned: annual_upsell/offer, failed at locale`, a line for each.
    var assignedLines: [String] { assigned.map { "assigned: \($0.text)" } }

    /// The names as members of a JSON object.
    var members: [(String, JSONNode)] {
        func node(_ text: String?) -> JSONNode { text.map { .string($0) } ?? .null }
        return [
            ("reason", .string(reason.rawValue)), ("rule", node(rule)), ("arm", node(arm)),
            ("serves", .string(serves)), ("message", node(message)), ("locale", node(locale)),
            ("identifier", node(identifier)), ("assigned", .array(assigned.map(\.node))),
        ]
    }

    private static func text(of outcome: RulesModel.Outcome, _ message: String?) -> String {
        let name = message ?? ""
        return switch outcome {
        case .message: "message \(name)"
        case .switch(_, let product, let plan):
            "switch \(name) to \(product)" + (plan.map { " (\($0.rawValue))" } ?? "")
        case .offer(_, let product, let offer): "offer \(name), \(offer) on \(product)"
        case .advancedCommerce(_, let request): "advancedCommerce \(name) \(request)"
        case .nothing: "nothing"
        }
    }

    private static func content(of outcome: Decision.Outcome, in file: RulesFile) -> RulesModel.Outcome {
        guard case .serve(let content, _) = outcome else { return .nothing }
        return switch content {
        case .message: .message(0)
        case .switch(let product, let plan):
            .switch(message: 0, productId: file.text(at: product), billingPlanType: plan)
        case .offer(let product, let offer):
            .offer(message: 0, productId: file.text(at: product), offerIdentifier: file.text(at: offer))
        case .advancedCommerce(let request):
            .advancedCommerce(message: 0, request: file.text(at: request))
        }
    }
}
