public import DataFiles

/// A rule that drew a rollout or an arm for the subscriber and then failed a later step. An analysis of an experiment
/// must count the subscriber in the group that was drawn: if it leaves these subscribers out, the groups are biased by
/// what could be served.
public struct Assignment: Sendable, Hashable {
    /// The step that failed, under the name that ``explain(_:facts:using:)`` shows.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The subscriber is in the rollout, but the fact that decides the arm is missing.
        case arm
        /// The caps forbade the offer.
        case caps
        /// Apple has not approved the message.
        case approval
        /// The message has no locale for the subscriber.
        case locale
        /// The outcome could not be signed.
        case signing
    }

    /// The index of the rule in the file, counted from 0.
    public let ruleIndex: Int
    /// The index of the arm that was drawn, counted from 0; nil when the rule has no arms or no arm could be drawn.
    public let armIndex: Int?
    /// The step that failed.
    public let step: Step

    /// Returns the id of the rule. Allocates a string.
    public func ruleID(in file: RulesFile) -> String? { file.ruleID(at: ruleIndex) }

    /// Returns the name of the arm that was drawn, or nil when ``armIndex`` is nil. Allocates a string.
    public func armName(in file: RulesFile) -> String? {
        armIndex.flatMap { file.armName(at: $0, ofRule: ruleIndex) }
    }
}

extension Assignment.Step {
    /// Makes the step that fails for this reason; nil for a reason that no step of an outcome gives.
    init?(_ reason: DecisionReason) {
        switch reason {
        case .capped: self = .caps
        case .unapproved: self = .approval
        case .noLocale: self = .locale
        case .signFailed: self = .signing
        default: return nil
        }
    }
}
