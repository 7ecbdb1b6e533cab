internal import CommandLineTool
internal import JSON
internal import Rules
internal import System

/// The result of a decision, with names: enough to compare two decisions and to show them.
struct NamedDecision: Hashable {
    let reason: DecisionReason
    let rule: String?
    let arm: String?
    /// What is served, as text: `message value_reminder`, `switch go_annual to pro_annual`, `nothing`.
    let serves: String
    /// The same without the name of the message, which is nothing to subscribers.
    private let content: String
    let message: String?
    let locale: String?
    let identifier: String?
    let assigned: [FailedDraw]

    /// Without `draws` decisions are alike that differ only in what was drawn and then not served.
    init(_ decision: Decision, in file: RulesFile, draws: Bool = true) {
        reason = decision.reason
        rule = decision.ruleID(in: file)
        arm = decision.armName(in: file)
        message = decision.messageName(in: file)
        locale = decision.localeUsed(in: file)
        // For a subscriber who is held out, the draws belong to the shadow.
        assigned = decision.isHeldOut || !draws ? [] : FailedDraw.all(of: decision, in: file)
        switch decision.outcome {
        case .nothing: identifier = nil
        case .serve(_, let identifier): self.identifier = identifier.description
        }
        (content, serves) = Self.texts(of: decision.outcome, message, in: file)
    }

    /// What the holdout or the caps kept from the subscriber; nil when neither did.
    init?(shadowOf decision: Decision, in file: RulesFile) {
        guard let shadow = decision.shadow else { return nil }
        assigned = decision.isHeldOut ? FailedDraw.all(of: decision, in: file) : []
        reason = shadow.reason
        rule = shadow.ruleID(in: file)
        arm = shadow.armName(in: file)
        message = shadow.messageName(in: file)
        (locale, identifier) = (nil, nil)
        (content, serves) = Self.texts(of: shadow.outcome, message, in: file)
    }

    var origin: String { arm.map { "\(source.name)/\($0)" } ?? source.name }

    enum Source: Hashable {
        case rule(String)
        case reason(DecisionReason)

        /// A rule whose id is one of the other words is called, for example, `rule default`.
        var name: String {
            switch self {
            case .reason(let reason): reason == .default ? "default" : reason.rawValue
            case .rule(let id): Self.words.contains(id) ? "rule \(id)" : id
            }
        }

        /// `isRule` tells a rule with the id `default` from the default.
        var members: [(String, JSONNode)] {
            switch self {
            case .rule(let id): [("rule", .string(id)), ("isRule", .boolean(true))]
            case .reason: [("rule", .string(name)), ("isRule", .boolean(false))]
            }
        }

        private static let words = Set(DecisionReason.allCases.map(\.rawValue) + ["default"])
    }

    var source: Source { rule.map { .rule($0) } ?? .reason(reason) }

    struct Origin: Hashable {
        let source: Source
        let arm: String?

        init(_ source: Source, arm: String?) { (self.source, self.arm) = (source, arm) }
    }

    /// What decided, and its arm: the request counts for both.
    var origins: [Origin] {
        [Origin(source, arm: nil)] + (arm.map { [Origin(source, arm: $0)] } ?? [])
    }

    func hasSameAnswer(_ other: NamedDecision) -> Bool {
        content == other.content && identifier == other.identifier
    }

    func hasSameDecision(_ other: NamedDecision) -> Bool {
        origin == other.origin && reason == other.reason && assigned == other.assigned
    }

    var text: String {
        let place = [locale, identifier].compactMap { $0 }.joined(separator: " ")
        return "\(origin): \(serves)" + (place.isEmpty ? "" : ", \(place)")
    }

    var assignedLines: [String] { assigned.map { "assigned: \($0.text)" } }

    var members: [(String, JSONNode)] {
        [
            ("reason", .string(reason.rawValue)), ("rule", JSONNode(rule)), ("arm", JSONNode(arm)),
            ("serves", .string(serves)), ("message", JSONNode(message)), ("locale", JSONNode(locale)),
            ("identifier", JSONNode(identifier)), ("assigned", .array(assigned.map(\.node))),
        ]
    }

    private static func texts(of outcome: Decision.Outcome, _ message: String?, in file: RulesFile)
        -> (content: String, serves: String)
    {
        guard case .serve(let content, _) = outcome else { return ("nothing", "nothing") }
        let (kind, rest) =
            switch content {
            case .message: ("message", "")
            case .switch(let product, let plan):
                ("switch", " to \(file.text(at: product))" + (plan.map { " (\($0.rawValue))" } ?? ""))
            case .offer(let product, let offer):
                ("offer", ", \(file.text(at: offer)) on \(file.text(at: product))")
            case .advancedCommerce(let request): ("advancedCommerce", " \(file.text(at: request))")
            }
        return (kind + rest, "\(kind) \(message ?? "")\(rest)")
    }
}

/// A rule that was drawn for a subscriber and then not served, with the names that the rules file gives.
struct FailedDraw: Hashable {
    let rule: String?
    let arm: String?
    let step: String

    static func all(of decision: Decision, in file: RulesFile) -> [FailedDraw] {
        decision.assigned.map { assignment in
            FailedDraw(
                rule: assignment.ruleID(in: file), arm: assignment.armName(in: file),
                step: assignment.step.rawValue)
        }
    }

    var text: String { [rule, arm].compactMap { $0 }.joined(separator: "/") + ", failed at \(step)" }

    var node: JSONNode {
        .object([("rule", JSONNode(rule)), ("arm", JSONNode(arm)), ("step", .string(step))])
    }
}
