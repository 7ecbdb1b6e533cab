public import DataFiles
public import Vocabulary

/// The rules that name messages at Apple.
public struct CatalogueUses: Sendable, Hashable {
    /// The rules that serve a message, by its identifier.
    public private(set) var rules: [UUID: [String]] = [:]

    public init() {}

    /// Adds the rules of a rules source or of a compiled rules file. A message that the file declares and no rule serves counts
    /// as used by the file.
    ///
    /// - Parameters:
    ///   - model: the rules.
    ///   - file: the name of the file for people.
    public mutating func add(_ model: RulesModel, file: String) {
        var names: [Int: [String]] = [:]
        for rule in model.rules {
            for message in Set(rule.choice.outcomes.compactMap(\.message)) {
                names[message, default: []].append(rule.id)
            }
        }
        if let message = model.defaultOutcome?.message { names[message, default: []].append("default") }
        if let message = model.holdout?.outcome.message { names[message, default: []].append("holdout") }
        for (index, message) in model.messages.enumerated() {
            let users = names[index].map { $0.map { "\(file): \($0)" } } ?? [file]
            for entry in message.identifiers { rules[entry.identifier, default: []] += users }
        }
    }
}
