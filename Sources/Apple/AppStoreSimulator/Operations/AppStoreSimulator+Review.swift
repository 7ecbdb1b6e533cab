internal import AppStoreServerAPI
internal import JSON
public import Vocabulary

/// The decision of a reviewer about messages and images.
public enum ReviewDecision: String, Sendable, Hashable, CaseIterable {
    /// Approved: the messages and images may be shown.
    case approve
    /// Rejected: the messages and images may not be shown.
    case reject

    var state: ReviewState { self == .approve ? .approved : .rejected }
}

/// A message or an image whose state a review has changed.
public struct ReviewedItem: Sendable, Hashable {
    public let identifier: UUID
    /// `message` or `image`.
    public let kind: String
    /// The new state as Apple spells it.
    public let state: String
}

extension AppStoreSimulator {
    /// Decides about everything of an app that is pending in an environment.
    public mutating func reviewAll(_ decision: ReviewDecision, bundleId: String, environment: Environment)
        -> [ReviewedItem]
    {
        state[bundleId][environment].review(decision) { _, state in state == .pending }
    }

    /// Decides about messages and images, whatever their states. Apple's reviewers can change their minds, too.
    ///
    /// - Returns: what has changed, or the identifiers that do not exist; then nothing has changed.
    public mutating func review(
        _ decision: ReviewDecision, identifiers: [UUID], bundleId: String, environment: Environment
    ) -> (changed: [ReviewedItem], unknown: [UUID]) {
        let known = state[bundleId][environment]
        let unknown = identifiers.filter { known.images[$0] == nil && known.messages[$0] == nil }
        guard unknown.isEmpty else { return ([], unknown) }
        let chosen = Set(identifiers)
        return (
            state[bundleId][environment].review(decision) { identifier, _ in chosen.contains(identifier) }, []
        )
    }
}

extension EnvironmentState {
    /// Gives the chosen messages and images a new state. A default that points to a message which is no longer approved, or
    /// whose image is not, is removed.
    mutating func review(_ decision: ReviewDecision, _ isChosen: (UUID, ReviewState) -> Bool)
        -> [ReviewedItem]
    {
        var changed: [ReviewedItem] = []
        for (identifier, image) in listedImages
        where isChosen(identifier, image.state) && image.state != decision.state {
            images[identifier]?.state = decision.state
            changed.append(.init(identifier: identifier, kind: "image", state: decision.state.rawValue))
        }
        for (identifier, message) in listedMessages
        where isChosen(identifier, message.state) && message.state != decision.state {
            messages[identifier]?.state = decision.state
            changed.append(.init(identifier: identifier, kind: "message", state: decision.state.rawValue))
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
