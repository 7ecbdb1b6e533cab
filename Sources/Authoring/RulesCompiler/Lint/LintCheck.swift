public import Vocabulary

/// What compiles and is probably not meant. The raw value is the end of the code, behind `lint.`.
public enum LintCheck: String, FindingReason, CaseIterable {
    /// A rule that can never be the one that serves.
    case unreachableRule = "unreachable-rule"
    /// A default that no request gets to.
    case unreachableDefault = "unreachable-default"
    /// Two rules for the same subscribers with windows that overlap.
    case overlappingWindows = "overlapping-windows"
    /// A salt of two splits, which are not independent then.
    case repeatedSalt = "repeated-salt"
    /// A product whose subscribers get no message in a locale that other messages have.
    case missingLocale = "missing-locale"
    /// A message that nothing serves.
    case unusedMessage = "unused-message"
    /// A segment that no rule uses.
    case unusedSegment = "unused-segment"
    /// A fact that nothing reads.
    case unusedFact = "unused-fact"
    /// A message that Apple has approved in no locale.
    case maskedMessage = "masked-message"
    /// A locale of a message that Apple has not approved: its subscribers get another language, or nothing.
    case pendingLocale = "pending-locale"
    /// A test that passes only when Apple has approved what it has not.
    case testAwaitsApproval = "test-awaits-approval"
    /// A cap by the date of the last offer that refuses whoever never had one.
    case capWithoutCount = "cap-without-count"
    /// An offer without `caps`.
    case offerWithoutCap = "offer-without-cap"
    /// A window that is over.
    case expiredWindow = "expired-window"
    /// A holdout of everyone.
    case everyoneHeldOut = "everyone-held-out"
    /// A holdout that is over.
    case expiredHoldout = "expired-holdout"
    /// A rule that no test expects.
    case untestedRule = "untested-rule"
    /// A switch of which cannot be told that it stays within a subscription group.
    case switchGroup = "switch-group"
    /// A switch to the plan that the subscriber is on.
    case switchToSame = "switch-to-same"
    /// A comparison with a product that is not in `products`.
    case undeclaredProduct = "undeclared-product"
    /// Rules, holdout and default serve nothing at all.
    case servesNothing = "serves-nothing"
    /// The kill switch is on.
    case killSwitch = "kill-switch"
    /// The conditions are too many or too big to compare all of them.
    case searchEnded = "search-ended"
    /// There are more findings than are listed.
    case moreFindings = "more-findings"

    /// How bad it is.
    public var severity: Finding.Severity {
        switch self {
        // A facts file may hold more than the rules of today read, and its schema is here.
        case .unusedFact, .killSwitch, .searchEnded, .moreFindings: .note
        default: .warning
        }
    }
}
