/// The sections of a rules file. Numbers below 16 are common to every kind of data file.
package enum RulesSection: UInt32, Sendable, CaseIterable {
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
    /// The strings that `in` and `notIn` list.
    case stringLists = 24
    /// The dates that `in` and `notIn` list.
    case dateLists = 25

    /// The name for FORMAT.md and for errors.
    package var name: String { "\(self)" }
}
