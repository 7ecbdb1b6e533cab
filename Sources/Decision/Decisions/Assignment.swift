public import DataFiles

/// A rule whose rollout or arm was drawn for the subscriber, and which then failed a later step. Whoever analyses an
/// experiment counts the subscriber where the draw put them: without them a split is biased by what could be served.
public struct Assignment: Sendable, Hashable {
    /// The step that failed, under the name that `explain` has for it.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The subscriber is in the rollout, but lacks the fact that decides the arm.
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

    /// The rule, counted from 0.
    public let ruleIndex: Int
    /// The arm that was drawn, counted from 0; nil when the rule has none or no arm could be drawn.
    public let armIndex: Int?
    /// The step that failed.
    public let step: Step

    /// The id of the rule. Makes a string.
    public func ruleID(in file: RulesFile) -> String? { file.ruleID(at: ruleIndex) }

    /// The name of the arm. Makes a string.
    public func armName(in file: RulesFile) -> String? {
        armIndex.flatMap { file.armName(at: $0, ofRule: ruleIndex) }
    }
}

extension Assignment.Step {
    /// The step of a rule that fails for this reason; nil for reasons that no step of an outcome has.
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
