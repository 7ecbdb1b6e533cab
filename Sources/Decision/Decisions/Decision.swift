public import DataFiles
public import Vocabulary

/// What a request gets, and why. Holds numbers only; names are looked up in the file when somebody wants them.
public struct Decision: Sendable, Hashable {
    /// What is served.
    public enum Outcome: Sendable, Hashable {
        /// Nothing of ours; Apple's own fallback follows.
        case nothing
        /// The message with this identifier, by itself or beside something.
        case serve(Content, messageIdentifier: UUID)
    }

    /// What stands beside a message. The strings stay in the file: see ``RulesFile/text(at:)``.
    public enum Content: Sendable, Hashable {
        /// Nothing: the message stands alone.
        case message
        /// Another product of the same group.
        case `switch`(productId: FileString, billingPlanType: BillingPlanType?)
        /// A promotional offer, which has to be signed.
        case offer(productId: FileString, offerIdentifier: FileString)
        /// A change through the Advanced Commerce API: the JSON text of its request, which has to be signed.
        case advancedCommerce(request: FileString)

        /// Its kind in the file.
        public var kind: OutcomeKind {
            switch self {
            case .message: .message
            case .switch: .switch
            case .offer: .offer
            case .advancedCommerce: .advancedCommerce
            }
        }
    }

    /// What is served.
    public let outcome: Outcome
    /// Why.
    public let reason: DecisionReason
    /// The rule that matched, counted from 0; nil when the default was served or nothing matched.
    public let ruleIndex: Int?
    /// The arm of that rule, counted from 0; nil when it has none.
    public let armIndex: Int?
    /// The message, counted from 0; nil when nothing is served.
    public let messageIndex: Int?
    /// How many rules were passed over for what, for counters.
    public let skipped: SkippedRules
    /// Whether the subscriber is held out.
    public let isHeldOut: Bool
    /// What a subscriber who is held out or capped would have had; nil for all others.
    public let shadow: Shadow?
    /// The rollouts and arms that were drawn before the decision in rules that then failed a later step. For a
    /// subscriber who is held out they belong to the shadow: nothing was drawn that could have been served.
    public let assigned: Assignments
    /// The string of the locale whose message is served, or none.
    package let locale: EntryReference

    /// The id of the rule that matched. Makes a string; not for every request.
    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
    }

    /// The name of the arm. Makes a string; not for every request.
    public func armName(in file: RulesFile) -> String? {
        guard let ruleIndex, let armIndex else { return nil }
        return file.armName(at: armIndex, ofRule: ruleIndex)
    }

    /// The name of the message that is served. Makes a string; not for every request.
    public func messageName(in file: RulesFile) -> String? {
        messageIndex.flatMap { file.messageName(at: $0) }
    }

    /// The locale whose message is served: the subscriber's own or one that stands in for it. Makes a string.
    public func localeUsed(in file: RulesFile) -> String? {
        locale.isNone ? nil : file.string(locale)
    }
}

/// What a subscriber would have had, were it not for the holdout or the caps.
public struct Shadow: Sendable, Hashable {
    /// Why; for one who is capped the reason as it would be without caps.
    public let reason: DecisionReason
    /// The rule; nil for the default and for nothing.
    public let ruleIndex: Int?
    /// Its arm; nil when it has none.
    public let armIndex: Int?
    /// The message; nil for nothing.
    public let messageIndex: Int?
    /// What would have been served.
    public let outcome: Decision.Outcome

    /// The id of the rule. Makes a string.
    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
    }

    /// The name of the arm. Makes a string.
    public func armName(in file: RulesFile) -> String? {
        guard let ruleIndex, let armIndex else { return nil }
        return file.armName(at: armIndex, ofRule: ruleIndex)
    }

    /// The name of the message. Makes a string.
    public func messageName(in file: RulesFile) -> String? {
        messageIndex.flatMap { file.messageName(at: $0) }
    }
}
