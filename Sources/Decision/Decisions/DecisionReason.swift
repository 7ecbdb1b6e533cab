/// Why a decision came out as it did: OpenFeature's names where it has one, ours in the same style.
public enum DecisionReason: String, Sendable, Hashable, CaseIterable {
    /// A rule for everyone matched; what it serves may be nothing.
    case targetingMatch = "TARGETING_MATCH"
    /// A rule with a rollout or with variants matched.
    case split = "SPLIT"
    /// No rule matched; the default was served.
    case `default` = "DEFAULT"
    /// A rule was skipped because it is switched off. Never of a decision.
    case disabled = "DISABLED"
    /// The subscriber is kept out of all rules to compare with.
    case holdout = "HOLDOUT"
    /// Something matched, but the subscriber has had an offer too lately or too often, or nobody knows.
    case capped = "CAPPED"
    /// Something matched, but Apple has not approved its message in the locale of the subscriber.
    case unapproved = "UNAPPROVED"
    /// Something matched, but has no message in the subscriber's locale or those that stand in for it.
    case noLocale = "NO_LOCALE"
    /// Something matched, but cannot be signed.
    case signFailed = "SIGN_FAILED"
    /// The file's kill switch is on.
    case killSwitch = "KILL_SWITCH"
    /// No rule matched and there is no default.
    case none = "NONE"
    /// The request is for another app or environment than the file's; the caller chose the wrong file.
    case error = "ERROR"
}

extension DecisionReason {
    /// Those that a decision for an embedded test can have, and so those that one can expect. A switched-off rule is
    /// passed over as any other that does not match, so it is never why; a test is for its own file, and all can be
    /// signed in it.
    public static let expectable = allCases.filter { ![.disabled, .error, .signFailed].contains($0) }
}
