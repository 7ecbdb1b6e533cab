/// Why a decision came out as it did: OpenFeature's names where it has one, ours in the same style.
public enum DecisionReason: String, Sendable, Hashable, CaseIterable {
    /// A rule matched; what it serves may be nothing.
    case targetingMatch = "TARGETING_MATCH"
    /// No rule matched; the default was served.
    case `default` = "DEFAULT"
    /// A rule was skipped because it is switched off. In traces only.
    case disabled = "DISABLED"
    /// The file's kill switch is on.
    case killSwitch = "KILL_SWITCH"
    /// Something matched, but has no message in the subscriber's locale or those that stand in for it.
    case noLocale = "NO_LOCALE"
    /// No rule matched and there is no default.
    case none = "NONE"
    /// The request is for another app or environment than the file's; the caller chose the wrong file.
    case error = "ERROR"
}
