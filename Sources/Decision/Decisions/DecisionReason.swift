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
