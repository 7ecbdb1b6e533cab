internal import DataFiles
internal import JSON
internal import Vocabulary

/// Checks the messages of a model against Apple's lists.
struct InventoryCheck {
    let inventory: Inventory
    let allowsPending: Bool

    /// Masks the identifiers that Apple has not approved, and reports those that must not be compiled.
    func apply(to model: inout RulesModel, _ root: SourceValue) {
        let refuses = model.environment == .production && !allowsPending
        for index in model.messages.indices {
            let message = model.messages[index]
            let path: JSONPath = [.member("messages"), .member(message.name), .member("ids")]
            for (place, entry) in message.identifiers.enumerated() {
                let path = path + [.member(entry.locale)]
                guard let known = inventory.messages[entry.identifier] else {
                    let text = "the inventory has no message \(entry.identifier)"
                    root.findings.add(.unknownIdentifier, text, at: path, hint: "upload it first")
                    continue
                }
                if known.isIllustrated, message.kind == .switch || message.kind == .offer {
                    root.findings.add(
                        .imageNotAllowed,
                        "a message of kind \(message.kind.name) has an image or bullet points",
                        at: path,
                        hint: "Apple refuses it beside a switch or an offer; upload one without"
                    )
                }
                guard let obstacle = obstacle(known), !entry.isMasked else { continue }
                guard !refuses else {
                    let hint = "--allow-pending compiles it so that it is not served"
                    root.findings.add(.notApproved, obstacle, at: path, hint: hint)
                    continue
                }
                model.messages[index].identifiers[place].isMasked = true
            }
        }
    }

    /// Returns the reason why Apple would not show a message, or nil when Apple would show it.
    private func obstacle(_ message: Inventory.Message) -> String? {
        guard message.state == .approved else { return "the message is \(message.state.rawValue)" }
        for image in message.images {
            guard let state = inventory.images[image] else { return "the inventory has no image \(image)" }
            guard state == .approved else { return "the image \(image) is \(state.rawValue)" }
        }
        return nil
    }
}
