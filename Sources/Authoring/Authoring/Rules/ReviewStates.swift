package import AppStoreServerAPI
package import Rules
package import System

/// Apple's states of the messages and images of an app in one environment.
package struct ReviewStates: Sendable {
    package var messages: [UUID: ReviewState]
    package var images: [UUID: ReviewState]
    /// True when Apple has nothing else. What is not there is then not approved either.
    package var isComplete: Bool

    package init(
        messages: [UUID: ReviewState] = [:], images: [UUID: ReviewState] = [:], isComplete: Bool = false
    ) {
        self.messages = messages
        self.images = images
        self.isComplete = isComplete
    }

    /// Returns the messages that Apple shows: approved, with approved images.
    package func approvedMessages(imagesOf catalogue: CatalogueMessages?) -> Set<UUID> {
        let approved = messages.filter { identifier, state in
            state == .approved
                && (catalogue?.images[identifier] ?? []).allSatisfy { images[$0] == .approved }
        }
        return Set(approved.keys)
    }

    /// Writes into a model what Apple does not show. What is not known stays as the author has written it.
    func mark(_ model: inout RulesModel, imagesOf catalogue: CatalogueMessages?) {
        for message in model.messages.indices {
            for place in model.messages[message].identifiers.indices {
                let identifier = model.messages[message].identifiers[place].identifier
                let states =
                    [messages[identifier]] + (catalogue?.images[identifier] ?? []).map { images[$0] }
                let known = states.compactMap { $0 ?? (isComplete ? .pending : nil) }
                if known.contains(.rejected) {
                    model.messages[message].identifiers[place].unapproved = .rejected
                } else if known.contains(where: { $0 != .approved }) {
                    model.messages[message].identifiers[place].unapproved = .pending
                } else if messages[identifier] != nil {
                    model.messages[message].identifiers[place].unapproved = nil
                }
            }
        }
    }
}
