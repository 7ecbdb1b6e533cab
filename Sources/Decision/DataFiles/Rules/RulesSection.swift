/// The sections of a rules file. Numbers below 16 are common to every kind of data file.
package enum RulesSection: UInt32, SectionKind, CaseIterable {
    /// The bytes of all strings, one after the other.
    case strings = 1
    /// The place where each string begins, and where the last one ends.
    case stringIndex = 2
    /// The settings of the whole file.
    case settings = 16
    /// The author's metadata about the file: revision, owner, ticket.
    case metadata = 17
    /// The locale fallbacks: for a locale, the locale to try next.
    case localeFallbacks = 18
    /// The messages that can be served.
    case messages = 19
    /// The messages' identifiers, for each locale.
    case messageIdentifiers = 20
    /// The rules in their order.
    case rules = 21
    /// The outcomes of rules, of arms, of the holdout and of the default.
    case outcomes = 22
    /// The nodes of all conditions.
    case conditions = 23
    /// The strings that conditions list.
    case stringLists = 24
    /// The numbers, dates and truth values that conditions list.
    case numberLists = 25
    /// The declared facts.
    case factDeclarations = 26
    /// The products that the author declares.
    case products = 27
    /// The segments: conditions with a name.
    case segments = 28
    /// The splits of the holdout, of rollouts and of arms.
    case splits = 29
    /// The rollouts and the arms of rules; entry N belongs to rule N.
    case ruleSteps = 30
    case arms = 31
    case holdout = 32
    /// The limits on how often a subscriber gets an offer.
    case caps = 33
    /// For any product, then for each product, the range of the rules that may match, in `ruleLists`.
    case productRules = 34
    /// The numbers of the rules that may match for each product.
    case ruleLists = 35
    /// The tests that the author put into the file.
    case tests = 36
    /// The facts of the tests' subscribers.
    case testFacts = 37
    /// The hash table of the strings.
    case stringBuckets = 40
}
