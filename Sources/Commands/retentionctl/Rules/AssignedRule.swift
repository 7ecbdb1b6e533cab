internal import DataFiles
internal import Decisions
internal import JSON

/// A rule that was drawn for a subscriber and not served, in names.
struct AssignedRule: Hashable {
    let rule: String?
    let arm: String?
    /// The step that failed.
    let step: String

    /// All of a decision, in the order of the rules.
    static func all(of decision: Decision, in file: RulesFile) -> [AssignedRule] {
        decision.assigned.map { assignment in
            AssignedRule(
                rule: assignment.ruleID(in: file),
                arm: assignment.armName(in: file),
                step: assignment.step.rawValue
            )
        }
    }

    /// `annual_upsell/offer, failed at locale`
    var text: String { [rule, arm].compactMap { $0 }.joined(separator: "/") + ", failed at \(step)" }

    /// As the decision log has it.
    var node: JSONNode {
        .object([
            ("rule", rule.map { .string($0) } ?? .null), ("arm", arm.map { .string($0) } ?? .null),
            ("step", .string(step)),
        ])
    }
}
