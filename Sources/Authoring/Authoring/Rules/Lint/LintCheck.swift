package import System

/// A lint check. The code of its findings is `lint.` followed by the raw value.
package enum LintCheck: String, FindingReason, CaseIterable {
    /// A rule that can never serve.
    case unreachableRule = "unreachable-rule"
    /// A default that no request reaches.
    case unreachableDefault = "unreachable-default"
    /// Two rules for the same subscribers with windows that overlap.
    case overlappingWindows = "overlapping-windows"
    /// A salt that two splits share. The splits are then not independent.
    case repeatedSalt = "repeated-salt"
    /// A product whose subscribers get no message in a locale that other messages have.
    case missingLocale = "missing-locale"
    /// A message that nothing serves.
    case unusedMessage = "unused-message"
    /// A segment that no rule uses.
    case unusedSegment = "unused-segment"
    case unusedFact = "unused-fact"
    /// A message that Apple has approved in no locale.
    case maskedMessage = "masked-message"
    /// A locale of a message that Apple has not approved: its subscribers get another language, or nothing.
    case pendingLocale = "pending-locale"
    /// A test that passes only after Apple has approved the messages that it expects.
    case testAwaitsApproval = "test-awaits-approval"
    /// A cap by the date of the last offer that refuses every subscriber who never had an offer.
    case capWithoutCount = "cap-without-count"
    /// An offer without `caps`.
    case offerWithoutCap = "offer-without-cap"
    case expiredWindow = "expired-window"
    /// A holdout that holds out all subscribers.
    case everyoneHeldOut = "everyone-held-out"
    case expiredHoldout = "expired-holdout"
    /// A rule that no test expects.
    case untestedRule = "untested-rule"
    /// A switch for which lint cannot tell whether it stays within one subscription group.
    case switchGroup = "switch-group"
    /// A switch to the product that the subscriber is on.
    case switchToSame = "switch-to-same"
    /// An Advanced Commerce offer whose reason is not RETENTION.
    case offerReason = "offer-reason"
    /// A comparison with a product that is not in `products`.
    case undeclaredProduct = "undeclared-product"
    /// A number of paid periods that is compared for several products, whose periods may differ in length.
    case paidPeriods = "paid-periods"
    /// Rules, holdout and default serve nothing at all.
    case servesNothing = "serves-nothing"
    case killSwitch = "kill-switch"
    /// A declared fact that the facts file lacks. A reload refuses the file if the rules read the fact.
    case factNotInFacts = "fact-not-in-facts"
    /// A fact that the facts file has with another type.
    case factTypeDiffers = "fact-type-differs"
    /// A fact by which subscribers are drawn, and of which more than 1 percent of them have the same value.
    case sharedUnit = "shared-unit"
    /// A text with which rules compare a fact, and that no subscriber has.
    case valueNeverOccurs = "value-never-occurs"
    /// A comparison with a number that the fact can never have. It matches nobody, also later.
    case numberOutOfRange = "number-out-of-range"
    /// A number beyond those of all subscribers, which a count may reach and a price may have later.
    case numberNotSeen = "number-not-seen"
    /// A product with which rules compare, and that no subscriber is on.
    case productNeverOccurs = "product-never-occurs"
    /// A product that rules serve, and that no subscriber is on yet.
    case unsoldProduct = "unsold-product"
    /// An offer that rules serve, and that no subscriber accepted last.
    case unredeemedOffer = "unredeemed-offer"
    case factsEmpty = "facts-empty"
    /// There are too many conditions, or too large ones, to compare them all.
    case searchEnded = "search-ended"
    case moreFindings = "more-findings"

    package var severity: Finding.Severity {
        switch self {
        // An unused fact is not a mistake: a facts file may hold more facts than today's rules read, and `facts` is its
        // schema.
        case .unusedFact, .killSwitch, .searchEnded, .moreFindings: .note
        // A new product or offer has no subscribers yet, a count grows, and a price changes.
        case .numberNotSeen, .unsoldProduct, .unredeemedOffer, .factsEmpty: .note
        default: .warning
        }
    }
}
