public import DataFiles
public import Vocabulary

/// What a request gets, and why. Holds numbers only; the functions that return names look them up in the file.
///
///     let file = RulesFile(model, digest: digest)
///     let request = DecisionRequest(
///         appAppleId: 6_745_974_591,
///         environment: .production,
///         productId: "pro_monthly",
///         userLocale: "en-US",
///         originalTransactionId: "2000000001",
///         nowMilliseconds: 1_795_219_200_000
///     )
///     let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
///     let message = decision.messageName(in: file)
public struct Decision: Sendable, Hashable {
    /// What is served.
    public enum Outcome: Sendable, Hashable {
        /// Nothing from the rules; Apple's own fallback follows.
        case nothing
        /// The message with this identifier, alone or with something beside it.
        case serve(Content, messageIdentifier: UUID)
    }

    /// What the answer carries beside the message. The strings stay in the file: see ``RulesFile/text(at:)``.
    public enum Content: Sendable, Hashable {
        /// Nothing: the message stands alone.
        case message
        /// Another product of the same subscription group.
        case `switch`(productId: FileString, billingPlanType: BillingPlanType?)
        /// A promotional offer, which has to be signed.
        case offer(productId: FileString, offerIdentifier: FileString)
        /// A change through the Advanced Commerce API: the JSON text of its request, which has to be signed.
        case advancedCommerce(request: FileString)

        /// The kind of outcome in the file.
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
    /// Why the request gets this outcome.
    public let reason: DecisionReason
    /// The rule that matched, counted from 0; nil when the default was served or nothing matched.
    public let ruleIndex: Int?
    /// The arm of that rule, counted from 0; nil when the rule has no arms.
    public let armIndex: Int?
    /// The message, counted from 0; nil when nothing is served.
    public let messageIndex: Int?
    /// How many rules the decision passed over, by the step that failed. The service adds these to its counters.
    public let skipped: SkippedRules
    /// True when the subscriber is in the holdout.
    public let isHeldOut: Bool
    /// What the subscriber would have got without the holdout or the caps. Set for a subscriber in the holdout and for
    /// one whose offer was capped; nil for all others.
    public let shadow: Shadow?
    /// The rollouts and arms that were drawn before the decision, in rules that then failed a later step. For a
    /// subscriber in the holdout they belong to the shadow: no draw could have been served.
    public let assigned: Assignments
    /// The locale whose message is served, as a string of the file, or `none`.
    package let locale: EntryReference

    /// Returns the id of the rule that matched. Allocates a string, so the server does not call it for every request.
    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
    }

    /// Returns the name of the arm. Allocates a string, so the server does not call it for every request.
    public func armName(in file: RulesFile) -> String? {
        guard let ruleIndex, let armIndex else { return nil }
        return file.armName(at: armIndex, ofRule: ruleIndex)
    }

    /// Returns the name of the message that is served. Allocates a string, so the server does not call it for every
    /// request.
    public func messageName(in file: RulesFile) -> String? {
        messageIndex.flatMap { file.messageName(at: $0) }
    }

    /// Returns the locale whose message is served: the subscriber's own or a fallback. Allocates a string.
    public func localeUsed(in file: RulesFile) -> String? {
        locale.isNone ? nil : file.string(locale)
    }
}

/// What a subscriber would have got without the holdout or the caps.
public struct Shadow: Sendable, Hashable {
    /// The reason. For a capped subscriber: the reason that the decision would have without caps.
    public let reason: DecisionReason
    /// The rule, counted from 0; nil for the default and for no outcome.
    public let ruleIndex: Int?
    /// The arm of the rule, counted from 0; nil when the rule has no arms.
    public let armIndex: Int?
    /// The message, counted from 0; nil when nothing would have been served.
    public let messageIndex: Int?
    /// What would have been served.
    public let outcome: Decision.Outcome

    /// Returns the id of the rule. Allocates a string.
    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
    }

    /// Returns the name of the arm. Allocates a string.
    public func armName(in file: RulesFile) -> String? {
        guard let ruleIndex, let armIndex else { return nil }
        return file.armName(at: armIndex, ofRule: ruleIndex)
    }

    /// Returns the name of the message. Allocates a string.
    public func messageName(in file: RulesFile) -> String? {
        messageIndex.flatMap { file.messageName(at: $0) }
    }
}

/// Why a decision came out as it did. The names are OpenFeature's where it has one, else ours in the same style.
public enum DecisionReason: String, Sendable, Hashable, CaseIterable {
    /// A rule for everyone matched. Its outcome may be to serve nothing.
    case targetingMatch = "TARGETING_MATCH"
    /// A rule with a rollout or with variants matched.
    case split = "SPLIT"
    /// No rule matched; the default was served.
    case `default` = "DEFAULT"
    /// A rule was skipped because it is switched off. No decision has this reason.
    case disabled = "DISABLED"
    /// The subscriber is in the holdout, the group that gets no rules and is compared with the others.
    case holdout = "HOLDOUT"
    /// An outcome matched, but the subscriber had an offer too recently or too often, or the facts do not say.
    case capped = "CAPPED"
    /// An outcome matched, but Apple has not approved its message in the subscriber's locale.
    case unapproved = "UNAPPROVED"
    /// An outcome matched, but its message exists neither in the subscriber's locale nor in a fallback.
    case noLocale = "NO_LOCALE"
    /// An outcome matched, but the service cannot sign it.
    case signFailed = "SIGN_FAILED"
    /// The file's kill switch is on.
    case killSwitch = "KILL_SWITCH"
    /// No rule matched and there is no default.
    case none = "NONE"
    /// The request is for another app or environment than the file. The caller chose the wrong file.
    case error = "ERROR"
}

extension DecisionReason {
    /// The reasons that an embedded test can expect, which are those that its decision can have. `DISABLED` is left out
    /// because a switched-off rule is passed over like any rule that does not match. `ERROR` and `SIGN_FAILED` are left
    /// out because a test runs against its own file and assumes that everything can be signed.
    public static let expectable = allCases.filter { ![.disabled, .error, .signFailed].contains($0) }
}
