internal import AppStoreServerAPI
internal import Cryptography
internal import System

/// A page, and the tables with which its sections find what they show.
struct PageIndex {
    let page: CataloguePage

    /// An image of the page.
    struct Picture {
        let image: ResolvedCatalogue.Image
        /// The number of its class in the style sheet, from 1; nil when the page has no images.
        let number: Int?
        /// The `id` of its place among the images.
        let anchor: String
    }

    /// The state of each item.
    let rows: [CatalogueItem: CatalogueStatus.Row]
    /// The pictures by the identifier of the image.
    let pictures: [UUID: Picture]
    /// The default messages that use a message, by its identifier.
    let defaults: [UUID: [CatalogueStatus.DefaultRow]]
    /// The texts of each message, by its name and locale.
    let texts: [String: [String: ResolvedCatalogue.Message]]
    /// The `id` of each text and image, by its item.
    let anchors: [CatalogueItem: String]
    /// The names of the messages that use an image, by its identifier, in the order of the catalogue.
    let users: [UUID: [String]]
    /// The number of each locale, from 1, by which the choice of a locale finds its texts.
    let locales: [String: Int]

    init(_ page: CataloguePage) {
        self.page = page
        rows = Dictionary(page.status.rows.map { ($0.item, $0) }) { first, _ in first }
        defaults = Dictionary(grouping: page.status.defaults, by: \.identifier)
        let numbers = Dictionary(
            page.images.digests.enumerated().map { ($0.element, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first }
        )
        pictures = Dictionary(
            page.resolved.images.map { image in
                let anchor = HTMLAnchor.id("i", image.names.first ?? "")
                return (
                    image.identifier, Picture(image: image, number: numbers[image.fileDigest], anchor: anchor)
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
        texts = Dictionary(grouping: page.resolved.messages, by: \.name).mapValues { messages in
            Dictionary(messages.map { ($0.locale, $0) }) { first, _ in first }
        }
        var anchors = pictures.reduce(into: [CatalogueItem: String]()) { anchors, entry in
            anchors[CatalogueItem(.image, entry.key)] = entry.value.anchor
        }
        for message in page.resolved.messages {
            anchors[CatalogueItem(.message, message.identifier)] = HTMLAnchor.id(
                "t", message.name, message.locale)
        }
        self.anchors = anchors
        var users: [UUID: [String]] = [:]
        for message in page.resolved.messages {
            for image in message.images where users[image]?.last != message.name {
                users[image, default: []].append(message.name)
            }
        }
        self.users = users
        locales = Dictionary(
            page.catalogue.locales.enumerated().map { ($0.element, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func stateGroup(_ item: CatalogueItem) -> StateGroup { StateGroup(rows[item]?.state ?? .missing) }

    /// The images of a message that Apple has not approved, as far as is known.
    func obstacles(_ message: ResolvedCatalogue.Message) -> [Picture] {
        var seen: Set<UUID> = []
        return message.images.filter { seen.insert($0).inserted }.compactMap { pictures[$0] }.filter {
            stateGroup(CatalogueItem(.image, $0.image.identifier)) != .approved
        }
    }
}
