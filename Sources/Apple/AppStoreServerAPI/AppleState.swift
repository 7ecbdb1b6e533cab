package import System

package struct CatalogueItem: Sendable, Hashable, Comparable, Codable {
    package enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case image
        case message
    }

    package let kind: Kind
    package let identifier: UUID

    package init(_ kind: Kind, _ identifier: UUID) {
        self.kind = kind
        self.identifier = identifier
    }

    package static func < (left: CatalogueItem, right: CatalogueItem) -> Bool {
        guard left.kind == right.kind else { return left.kind == .image }
        return (left.identifier.high, left.identifier.low) < (right.identifier.high, right.identifier.low)
    }
}

/// What Apple's lists say of an app in one environment, and what they do not say: default messages, and what was under
/// way when a process ended. All times are milliseconds since 1970.
package struct AppleState: Sendable, Hashable, Codable {
    package struct Item: Sendable, Hashable, Codable {
        /// The name of the item for people; nil when this machine did not upload it.
        package fileprivate(set) var name: String?
        package fileprivate(set) var state: ReviewState?
        /// The time when the list first showed ``state``.
        package fileprivate(set) var since: Int64?
        /// The time when the list last showed another state than before; nil when it always showed the same.
        package fileprivate(set) var changed: Int64?
        package fileprivate(set) var size: String?
        package fileprivate(set) var uploading: Int64?
        /// The time when Apple was known to have the item.
        package fileprivate(set) var uploaded: Int64?
        package fileprivate(set) var deleted: Int64?
        /// True when Apple refused the last upload because an item with this identifier exists, or has existed; nil for false.
        package fileprivate(set) var isIdentifierUsed: Bool?

        package var wasThere: Bool { uploaded != nil || deleted != nil }
    }

    package struct Default: Sendable, Hashable, Codable {
        /// The message; nil when Apple said that none is set.
        package let identifier: UUID?
        package let time: Int64
    }

    /// A default message that was about to be set when the process ended.
    package struct Unsettled: Sendable, Hashable, Codable {
        /// The default message before the call; nil when nothing was known.
        var before: Default?
    }

    /// The images and messages that Apple's lists had once, or that were uploaded.
    package private(set) var items: [CatalogueItem: Item] = [:]
    package private(set) var defaults: [ProductLocale: Default] = [:]
    package private(set) var unsettled: [ProductLocale: Unsettled] = [:]
    package var realtimeURL: String?

    package init() {}

    package var listed: [(item: CatalogueItem, state: ReviewState)] {
        items.compactMap { item, known in known.state.map { (item, $0) } }.sorted { $0.0 < $1.0 }
    }

    /// The messages that Apple would show: the message is approved, and so are all its images that the catalogue knows.
    package func approvedMessages(images: [UUID: [UUID]]) -> Set<UUID> {
        let approved = items.filter { item, known in
            item.kind == .message && known.state == .approved
                && (images[item.identifier] ?? []).allSatisfy { self[.image, $0] == .approved }
        }
        return Set(approved.keys.map(\.identifier))
    }

    package subscript(kind: CatalogueItem.Kind, identifier: UUID) -> ReviewState? {
        items[CatalogueItem(kind, identifier)]?.state
    }

    /// The products and locales of which each message is the default message, in their order.
    package var defaultPlaces: [UUID: [ProductLocale]] {
        var places: [UUID: [ProductLocale]] = [:]
        for (place, known) in defaults.sorted(by: { $0.key < $1.key }) {
            if let identifier = known.identifier { places[identifier, default: []].append(place) }
        }
        return places
    }
}

// MARK: Changes

extension AppleState {
    /// What happens to an image, a message or a default message.
    package enum Event: Sendable, Hashable {
        /// An upload is about to be sent. The string names the item for people.
        case uploadStarted(CatalogueItem, name: String)
        case uploadDone(CatalogueItem)
        case deleted(CatalogueItem)
        /// Apple refused an upload, perhaps because an item with this identifier exists, or has existed.
        case refused(CatalogueItem, isIdentifierUsed: Bool)
        case defaultStarted(ProductLocale)
        /// Apple has taken a default message, or was asked for it; nil when none is set.
        case defaultSet(ProductLocale, UUID?)
        /// Apple refused a default message. The one that was set before is still set.
        case defaultRefused(ProductLocale)
    }

    package mutating func add(_ event: Event, at time: Int64) {
        switch event {
        case .uploadStarted(let item, let name):
            change(item) {
                $0.name = name
                $0.uploading = time
                $0.uploaded = nil
                $0.isIdentifierUsed = nil
            }
        case .uploadDone(let item):
            change(item) {
                $0.uploading = nil
                $0.uploaded = time
            }
        case .deleted(let item):
            change(item) { $0.deleted = time }
            list(item, nil, at: time)
        case .refused(let item, let isIdentifierUsed):
            change(item) {
                $0.uploading = nil
                $0.isIdentifierUsed = isIdentifierUsed ? true : nil
            }
        case .defaultStarted(let place):
            // After two calls in a row without a known outcome, nobody knows what was set before them.
            unsettled[place] = Unsettled(before: unsettled[place] == nil ? defaults[place] : nil)
            defaults[place] = nil
        case .defaultRefused(let place):
            if let call = unsettled.removeValue(forKey: place) { defaults[place] = call.before }
        case .defaultSet(let place, let identifier):
            unsettled[place] = nil
            defaults[place] = Default(identifier: identifier, time: time)
        }
    }

    /// Takes Apple's lists. When an identifier stands twice, the first one counts.
    package mutating func list(_ images: [ListedImage], _ messages: [ListedMessage], at time: Int64) {
        var listed: Set<CatalogueItem> = []
        for image in images {
            let item = CatalogueItem(.image, image.imageIdentifier)
            guard listed.insert(item).inserted else { continue }
            list(item, image.imageState, at: time)
            items[item]?.size = image.imageSize
        }
        for message in messages {
            let item = CatalogueItem(.message, message.messageIdentifier)
            if listed.insert(item).inserted { list(item, message.messageState, at: time) }
        }
        for (item, known) in items where known.state != nil && !listed.contains(item) {
            list(item, nil, at: time)
        }
    }

    package mutating func list(_ item: CatalogueItem, _ state: ReviewState?, at time: Int64) {
        guard items[item]?.state != state || items[item]?.since == nil else { return }
        change(item) {
            if $0.since != nil { $0.changed = time }
            $0.state = state
            $0.since = time
            guard state != nil else { return }
            $0.uploading = nil
            $0.uploaded = $0.uploaded ?? time
        }
    }

    private mutating func change(_ item: CatalogueItem, _ body: (inout Item) -> Void) {
        body(&items[item, default: Item()])
    }
}

// MARK: Keys and values in the file

/// `image 5d1f6a0e-…`
extension CatalogueItem: CodingKeyRepresentable {
    package var codingKey: any CodingKey { ObjectKey(stringValue: "\(kind.rawValue) \(identifier)") }

    package init?(codingKey: some CodingKey) {
        let parts = codingKey.stringValue.split(separator: " ")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
            let identifier = UUID(String(parts[1]))
        else { return nil }
        self.init(kind, identifier)
    }
}
