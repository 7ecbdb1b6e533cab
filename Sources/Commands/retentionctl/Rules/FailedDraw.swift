internal import DataFiles
internal import Decisions
internal import JSON

/// A rule that was drawn for a subscriber and then not served, with the names that the rules file gives.
struct FailedDraw: Hashable {
    let rule: String?
    let arm: String?
    /// The step that failed after the draw.
    let step: String

    /// Returns all such rules of a decision, in the order of the rules.
    static func all(of decision: Decision, in file: RulesFile) -> [FailedDraw] {
        decision.assigned.map { assignment in
            FailedDraw(
                rule: assignment.ruleID(in: file), arm: assignment.armName(in: file),
                step: assignment.step.rawValue)
        }
    }

    /// The rule as text: `annual_upsell/offer, failed at locale`.
    var text: String { [rule, arm].compactMap { $0 }.joined(separator: "/") + ", failed at \(step)" }

    /// The rule as a JSON object, in the form of the decision log.
    var node: JSONNode {
        .object([
            ("rule", rule.map { .string($0) } ?? .null), ("arm", arm.map { .string($0) } ?? .null),
            ("step", .string(step)),
        ])
    }
}
