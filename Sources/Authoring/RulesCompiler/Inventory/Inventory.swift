public import Vocabulary
public import RulesReading

/// Apple's lists of the messages and images of an app in one environment.
///
/// The text of an inventory is one JSON object with the answers of Get Message List and Get Image List side by side:
///
///     { "messageIdentifiers": [ { "messageIdentifier": "…", "messageState": "APPROVED" } ],
///       "imageIdentifiers": [ { "imageIdentifier": "…", "imageState": "APPROVED", "imageSize": "FULL_SIZE" } ] }
///
/// Apple's lists do not say which message has which image. So the author adds `image` and `bulletPoints` to a message,
/// in the form of the Upload Message request body.
public struct Inventory: Sendable, Hashable {
    /// Apple's state of a message or an image. The raw values are Apple's words.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Apple is reviewing it.
        case pending = "PENDING"
        /// It may be shown.
        case approved = "APPROVED"
        /// It will never be shown.
        case rejected = "REJECTED"
    }

    /// An uploaded message.
    public struct Message: Sendable, Hashable {
        /// The state of the message itself; its images have states of their own.
        public var state: State
        /// The identifiers of the message's image and of the images of its bullet points.
        public var images: [UUID]
        /// True when the message has an image or bullet points. Apple does not allow these beside a switch or an offer.
        public var isIllustrated: Bool

        /// Creates a message; by default it has neither an image nor bullet points.
        public init(state: State, images: [UUID] = [], isIllustrated: Bool = false) {
            self.state = state
            self.images = images
            self.isIllustrated = isIllustrated
        }
    }

    /// The messages by identifier.
    public var messages: [UUID: Message]
    /// The state of each image, by identifier.
    public var images: [UUID: State]

    /// Creates an inventory; by default it is empty.
    public init(messages: [UUID: Message] = [:], images: [UUID: State] = [:]) {
        self.messages = messages
        self.images = images
    }
}

extension Inventory {
    /// Returns the messages that Apple shows: approved, with approved images.
    ///
    /// - Parameter catalogue: the catalogue that knows the images of its messages; nil without one.
    /// - Returns: the identifiers.
    public func approvedMessages(imagesOf catalogue: CatalogueMessages?) -> Set<UUID> {
        let approved = messages.filter { identifier, message in
            message.state == .approved
                && (message.images + (catalogue?.images[identifier] ?? [])).allSatisfy {
                    images[$0] == .approved
                }
        }
        return Set(approved.keys)
    }

    /// Returns the inventory with entries for messages that Apple's list does not have, as messages that wait for Apple.
    public func adding(pending identifiers: some Sequence<UUID>) -> Inventory {
        var inventory = self
        for identifier in identifiers where inventory.messages[identifier] == nil {
            inventory.messages[identifier] = Message(state: .pending)
        }
        return inventory
    }
}
