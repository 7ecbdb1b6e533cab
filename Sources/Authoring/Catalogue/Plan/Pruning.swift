package import Rules
package import System

/// What keeps orphans from being deleted.
package struct Pruning: Sendable {
    /// The rules that use messages.
    let uses: CatalogueUses
    /// Every product in every locale: another machine may have set a default message in any of them.
    let places: [ProductLocale]

    package init(uses: CatalogueUses, places: [ProductLocale]) {
        self.uses = uses
        self.places = places
    }
}

extension CataloguePlan {
    /// Adds a step for each orphan: messages first, since Apple refuses to delete an image that a message names. One that rules name,
    /// or that stays the default message somewhere, is kept.
    mutating func addDeletions(_ pruning: Pruning, _ state: AppleState) {
        let replaced = Set(
            steps.compactMap { step in
                if case .setDefault(let change) = step.action { change.place } else { nil }
            })
        let places = state.defaultPlaces.mapValues { $0.filter { !replaced.contains($0) } }
        for kind in [CatalogueItem.Kind.message, .image] {
            for orphan in orphans where orphan.item.kind == kind {
                let identifier = orphan.item.identifier
                let users =
                    kind == .image
                    ? []
                    : (pruning.uses.rules[identifier] ?? []) + AppleState.users(places[identifier])
                steps.append(Step(.delete(orphan), users.isEmpty ? .planned : .kept(users)))
            }
        }
        askedDefaults = pruning.places
    }
}

extension AppleState {
    /// The places of a default message for people.
    static func users(_ places: [ProductLocale]?) -> [String] {
        (places ?? []).map { "default message of \($0)" }
    }
}

/// The rules that name messages at Apple.
package struct CatalogueUses: Sendable, Hashable {
    /// The rules that serve a message, by its identifier.
    package private(set) var rules: [UUID: [String]] = [:]

    package init() {}

    /// Adds the rules of a rules source or of a pushed rules file. A message that the file declares and no rule serves counts as
    /// used by the file.
    package mutating func add(_ model: RulesModel, file: String) {
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
