internal import AppStoreServerAPI
internal import JSON
internal import System

/// The decision of a reviewer about messages and images.
package enum ReviewDecision: String, Sendable, Hashable, CaseIterable {
    /// Approved: the messages and images may be shown.
    case approve
    /// Rejected: the messages and images may not be shown.
    case reject

    var state: ReviewState { self == .approve ? .approved : .rejected }
}

extension EnvironmentState {
    /// Gives the chosen messages and images a new state. A default that points to a message which is no longer approved, or
    /// whose image is not, is removed.
    mutating func review(_ decision: ReviewDecision, _ isChosen: (UUID, ReviewState) -> Bool) -> [JSONNode] {
        var changed: [JSONNode] = []
        func note(_ kind: String, _ identifier: UUID) {
            changed.append(
                .object([
                    ("identifier", .string(identifier.description)), ("kind", .string(kind)),
                    ("state", .string(decision.state.rawValue)),
                ])
            )
        }
        for (identifier, image) in listedImages
        where isChosen(identifier, image.state) && image.state != decision.state {
            images[identifier]?.state = decision.state
            note("image", identifier)
        }
        for (identifier, message) in listedMessages
        where isChosen(identifier, message.state) && message.state != decision.state {
            messages[identifier]?.state = decision.state
            note("message", identifier)
        }
        defaults = defaults.filter { isShowable($0.value) }
        return changed
    }

    /// Returns true when a message and all its images are approved.
    func isShowable(_ identifier: UUID) -> Bool {
        guard let message = messages[identifier], message.state == .approved else { return false }
        return message.images.allSatisfy { images[$0]?.state == .approved }
    }
}
