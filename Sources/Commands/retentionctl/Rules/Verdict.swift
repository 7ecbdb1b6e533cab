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
    let message: String?
    let locale: String?
    /// The message's identifier as Apple knows it.
    let identifier: String?

    /// A decision by a file.
    init(_ decision: Decision, in file: RulesFile) {
        reason = decision.reason
        rule = decision.ruleID(in: file)
        arm = decision.armName(in: file)
        message = decision.messageName(in: file)
        locale = decision.localeUsed(in: file)
        switch decision.outcome {
        case .nothing: (serves, identifier) = ("nothing", nil)
        case .serve(_, let identifier, let outcome):
            serves = Self.text(of: file.outcome(at: outcome), message)
            self.identifier = identifier.description
        }
    }

    /// What the holdout or the caps kept from the subscriber.
    init(_ shadow: Shadow, in file: RulesFile) {
        reason = shadow.reason
        rule = shadow.ruleID(in: file)
        arm = shadow.armName(in: file)
        message = shadow.messageName(in: file)
        (locale, identifier) = (nil, nil)
        serves = Self.text(of: shadow.outcomeIndex.flatMap { file.outcome(at: $0) }, message)
    }

    /// Where it comes from: a rule with its arm, the default, or the reason why there is neither.
    var origin: String {
        if let rule { return arm.map { "\(rule)/\($0)" } ?? rule }
        return reason == .default ? "default" : reason.rawValue
    }

    /// `annual_upsell/switch: switch go_annual to pro_annual, en-US ed7f25fc-5741-46a3-8502-062e0fb8afd0`
    var text: String {
        let place = [locale, identifier].compactMap { $0 }.joined(separator: " ")
        return "\(origin): \(serves)" + (place.isEmpty ? "" : ", \(place)")
    }

    /// The names as members of a JSON object.
    var members: [(String, JSONNode)] {
        func node(_ text: String?) -> JSONNode { text.map { .string($0) } ?? .null }
        return [
            ("reason", .string(reason.rawValue)), ("rule", node(rule)), ("arm", node(arm)),
            ("serves", .string(serves)), ("message", node(message)), ("locale", node(locale)),
            ("identifier", node(identifier)),
        ]
    }

    private static func text(of outcome: RulesModel.Outcome?, _ message: String?) -> String {
        let name = message ?? ""
        return switch outcome {
        case .message?: "message \(name)"
        case .switch(_, let product, let plan)?:
            "switch \(name) to \(product)" + (plan.map { " (\($0.rawValue))" } ?? "")
        case .offer(_, let product, let offer)?: "offer \(name), \(offer) on \(product)"
        case .advancedCommerce?: "advancedCommerce \(name)"
        case .nothing?, nil: "nothing"
        }
    }
}
