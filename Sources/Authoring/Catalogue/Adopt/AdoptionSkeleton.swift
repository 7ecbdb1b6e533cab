internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

/// A map without names: everything that Apple says of images and messages that the catalogue does not name, and `null` where a
/// person has to fill in what Apple does not say.
public struct AdoptionSkeleton: Sendable {
    private let bundleId: String
    private let environment: Environment
    private let appAppleId: Int64?
    private let images: [ListedImage]
    private let messages: [ListedMessage]
    private let places: [UUID: [ProductLocale]]

    /// Collects what Apple says.
    ///
    /// - Parameters:
    ///   - owner: the app and its environment.
    ///   - inventory: Apple's lists.
    ///   - catalogue: the catalogue; nil when there is none yet.
    ///   - knowledge: what the journal knows of default messages.
    public init(
        _ owner: JournalOwner, inventory: AppleInventory, catalogue: ResolvedCatalogue?,
        knowledge: JournalKnowledge
    ) {
        bundleId = owner.bundleId
        environment = owner.environment
        appAppleId = catalogue?.appAppleId
        let known = catalogue?.items ?? []
        images = inventory.images.filter { !known.contains(CatalogueItem(.image, $0.imageIdentifier)) }
        messages = inventory.messages.filter {
            !known.contains(CatalogueItem(.message, $0.messageIdentifier))
        }
        places = knowledge.defaultPlaces
    }

    /// The number of images without a name.
    public var imageCount: Int { images.count }
    /// The number of messages without a name.
    public var messageCount: Int { messages.count }

    public var json: JSONNode {
        .object([
            ("format", .integer(1)),
            (
                "app",
                .object([
                    ("appAppleId", appAppleId.map { .integer($0) } ?? .null),
                    ("bundleId", .string(bundleId)),
                ])
            ),
            ("environment", .string(environment.rawValue)),
            ("images", .array(images.map(Self.json))),
            ("messages", .array(messages.map(json))),
        ])
    }

    private static func json(_ image: ListedImage) -> JSONNode {
        .object([
            ("identifier", .string(image.imageIdentifier.description)),
            ("state", .string(image.imageState.rawValue)),
            ("size", image.size.map { .string($0.rawValue) } ?? .null), ("name", .null), ("file", .null),
        ])
    }

    private func json(_ message: ListedMessage) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("identifier", .string(message.messageIdentifier.description)),
            ("state", .string(message.messageState.rawValue)),
        ]
        if let places = places[message.messageIdentifier] {
            members.append(("defaultOf", .array(places.map { .string($0.description) })))
        }
        return .object(
            members + ["name", "locale", "kind", "header", "body"].map { ($0, JSONNode.null) }
        )
    }
}

extension JournalKnowledge {
    /// The products and locales of which each message is the default message, in their order.
    var defaultPlaces: [UUID: [ProductLocale]] {
        var places: [UUID: [ProductLocale]] = [:]
        for (place, known) in defaults.sorted(by: { $0.key < $1.key }) {
            if let identifier = known.identifier { places[identifier, default: []].append(place) }
        }
        return places
    }
}
