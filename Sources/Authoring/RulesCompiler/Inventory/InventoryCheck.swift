internal import DataFiles
internal import JSON
internal import RulesReading
internal import Vocabulary

/// Checks the messages of a model against Apple's lists.
struct InventoryCheck {
    let inventory: Inventory
    let allowsPending: Bool
    /// The images of messages that a catalogue has, by the identifier of the message.
    let catalogueImages: [UUID: [UUID]]

    /// Marks the identifiers that Apple has not approved, and no others, and reports those that must not be compiled.
    func apply(to model: inout RulesModel, _ root: SourceValue) {
        let refuses = model.environment == .production && !allowsPending
        let places = MessagePlaces(model, root.value)
        for index in model.messages.indices {
            let message = model.messages[index]
            for (place, entry) in message.identifiers.enumerated() {
                let path = places.path(of: message.name, entry.locale)
                guard let known = inventory.messages[entry.identifier] else {
                    let text = "the inventory has no message \(entry.identifier)"
                    root.findings.add(.unknownIdentifier, text, at: path, hint: "upload it first")
                    continue
                }
                if known.isIllustrated, message.kind == .switch || message.kind == .offer {
                    root.findings.add(
                        .imageNotAllowed,
                        "a message of kind \(message.kind.name) has an image or bullet points", at: path,
                        hint: "Apple refuses it beside a switch or an offer; upload one without")
                }
                let obstacle = obstacle(known, entry.identifier)
                if let obstacle, refuses, !entry.isMasked {
                    let hint = "--allow-pending compiles it so that it is not served"
                    root.findings.add(.notApproved, obstacle.text, at: path, hint: hint)
                }
                model.messages[index].identifiers[place].unapproved = obstacle?.state
            }
        }
    }

    /// Returns the reason why Apple would not show a message, or nil when Apple would show it.
    private func obstacle(_ message: Inventory.Message, _ identifier: UUID) -> (
        text: String, state: RulesModel.Unapproved
    )? {
        func obstacle(_ text: String, _ state: Inventory.State) -> (String, RulesModel.Unapproved) {
            (text, state == .rejected ? .rejected : .pending)
        }
        guard message.state == .approved else {
            return obstacle("the message is \(message.state.rawValue)", message.state)
        }
        for image in message.images + (catalogueImages[identifier] ?? []) {
            guard let state = inventory.images[image] else {
                return obstacle("the inventory has no image \(image)", .pending)
            }
            guard state == .approved else {
                return obstacle("the image \(image) is \(state.rawValue)", state)
            }
        }
        return nil
    }
}
