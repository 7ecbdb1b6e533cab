/// The sections of a rules file. Numbers below 16 are common to every kind of data file.
package enum RulesSection: UInt32, SectionKind, CaseIterable {
    /// The bytes of all strings, one after the other.
    case strings = 1
    /// Where each string begins, and where the last one ends.
    case stringIndex = 2
    /// What holds for the file as a whole.
    case settings = 16
    /// What the author says about the file: revision, owner, ticket.
    case metadata = 17
    /// Which locale to try after which.
    case localeFallbacks = 18
    /// The messages that can be served.
    case messages = 19
    /// Their identifiers for each locale.
    case messageIdentifiers = 20
    /// The rules in their order.
    case rules = 21
    /// What rules and the default serve.
    case outcomes = 22
    /// The nodes of all conditions.
    case conditions = 23
    /// The strings that conditions list.
    case stringLists = 24
    /// The numbers, dates and truth values that conditions list.
    case numberLists = 25
    /// The facts that the facts file must have.
    case factDeclarations = 26
    /// The products that the author declares.
    case products = 27
    /// Conditions under a name.
    case segments = 28
    /// Shares of the subscribers: of the holdout, of rollouts, of arms.
    case splits = 29
    /// What rules ask for beside their conditions; parallel to `rules`.
    case ruleSteps = 30
    /// The arms of all rules.
    case arms = 31
    /// Who is kept out of all rules.
    case holdout = 32
    /// How often a subscriber gets an offer.
    case caps = 33
    /// The rules that may match for each product.
    case productRules = 34
    /// Their numbers.
    case ruleLists = 35
    /// What the author expects of the rules.
    case tests = 36
    /// The facts of the tests' subscribers.
    case testFacts = 37
    /// What the server looks at first of each rule; parallel to `rules`.
    case ruleHeads = 38
    /// The conditions of rules as lists of terms, but for the first ones.
    case terms = 39
    /// Where each string is found by its hash.
    case stringBuckets = 40
}
