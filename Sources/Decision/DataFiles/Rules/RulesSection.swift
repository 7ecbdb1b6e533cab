/// The sections of a rules file, in their order.
enum RulesSection: Int, CaseIterable {
    /// The bytes of all strings, one after the other.
    case strings
    /// The place where each string begins, and where the last one ends.
    case stringIndex
    /// The settings of the whole file.
    case settings
    /// The locale fallbacks: for a locale, the locale to try next.
    case localeFallbacks
    /// The messages that can be served.
    case messages
    /// The messages' identifiers, for each locale.
    case messageIdentifiers
    /// The rules in their order.
    case rules
    /// The outcomes of rules, of arms, of the holdout and of the default.
    case outcomes
    /// The nodes of all conditions.
    case conditions
    /// The strings that conditions list.
    case stringLists
    /// The numbers, dates and truth values that conditions list.
    case numberLists
    /// The declared facts.
    case factDeclarations
    /// The segments: conditions with a name.
    case segments
    /// The splits of the holdout, of rollouts and of arms.
    case splits
    /// The rollouts and the arms of rules; entry N belongs to rule N.
    case ruleSteps
    case arms
    case holdout
    /// The limits on how often a subscriber gets an offer.
    case caps
    /// For any product, then for each product, the range of the rules that may match, in `ruleLists`.
    case productRules
    /// The numbers of the rules that may match for each product.
    case ruleLists
    /// The hash table of the strings.
    case stringBuckets
}
