public import AppStoreServerAPI
public import JSON
public import Vocabulary

/// Apple's lists of an app in one environment, and the URL. Default messages are not part of it: Apple does not list them.
public struct AppleInventory: Sendable, Hashable {
    /// The images in Apple's order.
    public var images: [ListedImage]
    /// The messages in Apple's order.
    public var messages: [ListedMessage]
    /// The URL that Apple asks; nil when no URL is set, or when the URL was not requested.
    public var realtimeURL: String?

    public init(images: [ListedImage] = [], messages: [ListedMessage] = [], realtimeURL: String? = nil) {
        self.images = images
        self.messages = messages
        self.realtimeURL = realtimeURL
    }

    /// Asks Apple's server: two or three calls.
    ///
    /// - Parameters:
    ///   - api: the client.
    ///   - asksURL: true to ask for the URL too.
    /// - Throws: the error of the first call that failed.
    public init(asking api: any RetentionMessagingAPI, asksURL: Bool) throws(AppStoreServerAPIError) {
        images = try api.listImages()
        messages = try api.listMessages()
        realtimeURL = asksURL ? try api.realtimeURL() : nil
    }

    /// Takes the states that a journal remembers: those of the last look at Apple's lists, and only of items that this
    /// machine has seen. Images come before messages, each by identifier.
    public init(remembering knowledge: JournalKnowledge) {
        self.init()
        for item in knowledge.items.keys.sorted(by: CatalogueItem.areInOrder) {
            guard let state = knowledge.items[item]?.state else { continue }
            switch item.kind {
            case .image:
                images.append(.init(imageIdentifier: item.identifier, imageState: state, imageSize: nil))
            case .message: messages.append(.init(messageIdentifier: item.identifier, messageState: state))
            }
        }
    }

    /// All images, then all messages, in Apple's order.
    var allItems: [(item: CatalogueItem, state: ReviewState)] {
        images.map { (CatalogueItem(.image, $0.imageIdentifier), $0.imageState) }
            + messages.map { (CatalogueItem(.message, $0.messageIdentifier), $0.messageState) }
    }

    /// The states of all items. When an identifier stands twice, the first one counts.
    public var states: [CatalogueItem: ReviewState] {
        var states: [CatalogueItem: ReviewState] = [:]
        states.reserveCapacity(images.count + messages.count)
        for (item, state) in allItems where states[item] == nil { states[item] = state }
        return states
    }

    /// The messages that Apple would show: the message is approved, and so are all its images that the catalogue knows.
    public func approvedMessages(imagesOf catalogue: ResolvedCatalogue) -> Set<UUID> {
        let states = states
        let images = catalogue.imagesByMessage
        let approved = messages.filter { message in
            message.messageState == .approved
                && (images[message.messageIdentifier] ?? []).allSatisfy {
                    states[CatalogueItem(.image, $0)] == .approved
                }
        }
        return Set(approved.map(\.messageIdentifier))
    }

    /// The text that `retentionctl compile --inventory` reads: Apple's lists in one object. Apple does not list which images
    /// a message has, so the catalogue gives them for its own messages.
    public func json(_ catalogue: ResolvedCatalogue) -> JSONNode {
        let bodies = Dictionary(catalogue.messages.map { ($0.identifier, $0.body) }) { first, _ in first }
        let messages = messages.map { message in
            let body = bodies[message.messageIdentifier]
            return JSONNode.object(message.members + (body.map(Self.illustrations) ?? []))
        }
        let images = images.map { JSONNode.object($0.members) }
        return .object([("messageIdentifiers", .array(messages)), ("imageIdentifiers", .array(images))])
    }

    private static func illustrations(of body: UploadMessageRequestBody) -> [(String, JSONNode)] {
        func node(_ identifier: UUID) -> JSONNode {
            .object([("imageIdentifier", .string(identifier.description))])
        }
        var members: [(String, JSONNode)] = []
        if let image = body.image { members.append(("image", node(image.imageIdentifier))) }
        if !body.bulletPoints.isEmpty {
            members.append(("bulletPoints", .array(body.bulletPoints.map { node($0.imageIdentifier) })))
        }
        return members
    }
}

extension CatalogueJournal {
    /// Records every state that the journal does not have, and every item that Apple's list no longer has.
    public func record(_ inventory: AppleInventory, at time: Int64) throws(CatalogueJournalError) {
        let states = inventory.states
        for item in states.keys.sorted(by: CatalogueItem.areInOrder) {
            guard let state = states[item], knowledge.items[item]?.state != state else { continue }
            try record(.listed(item, state), at: time)
        }
        for item in knowledge.items.keys.sorted(by: CatalogueItem.areInOrder)
        where states[item] == nil && knowledge.items[item]?.state != nil {
            try record(.listed(item, nil), at: time)
        }
    }
}

extension CatalogueItem {
    /// The order of journal lines and reports: images before messages, by identifier.
    static func areInOrder(_ one: CatalogueItem, _ other: CatalogueItem) -> Bool {
        guard one.kind == other.kind else { return one.kind == .image }
        return (one.identifier.high, one.identifier.low) < (other.identifier.high, other.identifier.low)
    }
}
