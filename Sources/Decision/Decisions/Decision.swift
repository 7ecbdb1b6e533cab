public import DataFiles
public import Vocabulary

/// What a request gets, and why. Holds numbers only; names are looked up in the file when somebody wants them.
public struct Decision: Sendable, Hashable {
    /// What is served.
    public enum Outcome: Sendable, Hashable {
        /// The message with this identifier.
        case message(UUID)
        /// Nothing of ours; Apple's own fallback follows.
        case nothing
    }

    /// What is served.
    public let outcome: Outcome
    /// Why.
    public let reason: DecisionReason
    /// The rule that matched, counted from 0; nil when the default was served or nothing matched.
    public let ruleIndex: Int?
    /// The message, counted from 0; nil when nothing is served.
    public let messageIndex: Int?
    /// How many rules were passed over for what, for counters.
    public let skipped: SkippedRules
    /// The string of the locale whose message is served, or none.
    package let locale: EntryReference

    /// The id of the rule that matched. Makes a string; not for every request.
    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
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

/// How many rules a decision passed over, by the step that failed. A false condition is not counted: that is what
/// most rules do.
public struct SkippedRules: Sendable, Hashable {
    /// Switched off.
    public internal(set) var disabled: UInt32 = 0
    /// Before or after their window.
    public internal(set) var outsideWindow: UInt32 = 0
    /// A fact was missing, so that the condition is neither true nor false.
    public internal(set) var unknownCondition: UInt32 = 0
    /// No message in the subscriber's locale or those that stand in for it; the default counts as well.
    public internal(set) var noLocale: UInt32 = 0
}
