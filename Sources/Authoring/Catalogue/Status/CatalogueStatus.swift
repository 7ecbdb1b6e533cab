public import AppStoreServerAPI
public import Vocabulary

/// The images, messages and default messages of a catalogue with their states at Apple, and the orphans that Apple has besides.
public struct CatalogueStatus: Sendable, Hashable {
    /// The state of an image or a message.
    public enum State: Sendable, Hashable {
        /// Apple lists it with this state.
        case listed(ReviewState)
        /// The catalogue wants it, and Apple does not list it.
        case missing
        /// Apple lists it with this state, and the catalogue does not name it.
        case orphaned(ReviewState)
        /// The catalogue wants it. The lists are not complete and do not show it.
        case unknown

        /// The state as a word.
        public var word: String {
            switch self {
            case .listed(let state): state.rawValue
            case .missing: "missing"
            case .orphaned(let state): "orphaned \(state.rawValue)"
            case .unknown: "unknown"
            }
        }
    }

    /// An image or a message.
    public struct Row: Sendable, Hashable {
        /// The image or the message.
        public let item: CatalogueItem
        /// The name in the catalogue, with the locale of a message; the name of its upload for an orphan; nil when no name is
        /// known.
        public let name: String?
        /// The state of the item at Apple.
        public let state: State
        /// The time when this machine first saw the state; nil when the journal does not have it.
        public let since: Int64?
        /// The rules and default messages that use a message, or the messages that use an image.
        public let uses: [String]
    }

    /// A default message.
    public struct DefaultRow: Sendable, Hashable {
        /// The state of a default message, as far as the journal knows.
        public enum State: Sendable, Hashable {
            /// The message that the catalogue wants is set.
            case set
            /// Another message is set.
            case other(UUID)
            /// No default message is set.
            case unset
            /// The journal does not know which default message is set.
            case unknown
        }

        public let place: ProductLocale
        /// The name of the message that the catalogue wants.
        public let message: String
        public let identifier: UUID
        /// What the journal knows of the default message at Apple.
        public let state: State
        /// The time of the knowledge; nil when nothing is known.
        public let since: Int64?
    }

    /// The environment whose identifiers and states these are.
    public let environment: Environment
    /// The bundle identifier of the app.
    public let bundleId: String
    /// The images, then the messages, each in the order of the catalogue; then the orphans in Apple's order.
    public let rows: [Row]
    /// The default messages in the order of the catalogue.
    public let defaults: [DefaultRow]

    /// Compares a catalogue with Apple's lists and the journal.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue.
    ///   - inventory: Apple's lists, or what of them the journal remembers.
    ///   - knowledge: what the journal knows.
    ///   - uses: the rules that use messages.
    ///   - isComplete: true when the lists are Apple's. False when the journal made them: then Apple may have an item that
    ///     they do not show, unless the journal knows that the item is gone.
    public init(
        _ catalogue: ResolvedCatalogue, inventory: AppleInventory, knowledge: JournalKnowledge,
        uses: CatalogueUses, isComplete: Bool = true
    ) {
        environment = catalogue.environment
        bundleId = catalogue.bundleId
        let states = inventory.states
        var defaultCounts: [UUID: Int] = [:]
        for entry in catalogue.defaults { defaultCounts[entry.identifier, default: 0] += 1 }
        var imageUsers: [UUID: [String]] = [:]
        for message in catalogue.messages {
            for image in Set(message.images) {
                imageUsers[image, default: []].append("\(message.name) \(message.locale)")
            }
        }
        func row(_ item: CatalogueItem, _ name: String, _ users: [String]) -> Row {
            let isMissing = isComplete || knowledge.items[item]?.isGone == true
            return Row(
                item: item,
                name: name,
                state: states[item].map { .listed($0) } ?? (isMissing ? .missing : .unknown),
                since: states[item] == knowledge.items[item]?.state ? knowledge.items[item]?.stateSince : nil,
                uses: users
            )
        }
        let images = catalogue.images.map { image in
            row(
                CatalogueItem(.image, image.identifier), image.names.joined(separator: ", "),
                imageUsers[image.identifier] ?? [])
        }
        let messages = catalogue.messages.map { message in
            let count = defaultCounts[message.identifier] ?? 0
            let defaults = count == 0 ? [] : [CountText.of(count, "default message")]
            return row(
                CatalogueItem(.message, message.identifier), "\(message.name) \(message.locale)",
                (uses.rules[message.identifier] ?? []) + defaults)
        }
        let plan = CataloguePlan(catalogue, inventory: inventory, knowledge: knowledge)
        // A message that the catalogue no longer names stays the default message until Apple has approved the new one.
        let present = Dictionary(grouping: knowledge.defaults.values.compactMap(\.identifier)) { $0 }
        let orphans = plan.orphans.map { orphan in
            let count = present[orphan.item.identifier]?.count ?? 0
            return Row(
                item: orphan.item,
                name: orphan.name,
                state: .orphaned(orphan.state),
                since: knowledge.items[orphan.item]?.stateSince,
                uses: (uses.rules[orphan.item.identifier] ?? [])
                    + (count == 0 ? [] : [CountText.of(count, "default message")])
            )
        }
        rows = images + messages + orphans
        defaults = catalogue.defaults.map { DefaultRow($0, knowledge) }
    }
}

extension CatalogueStatus.DefaultRow {
    fileprivate init(_ entry: ResolvedCatalogue.Default, _ knowledge: JournalKnowledge) {
        let place = ProductLocale(product: entry.product, locale: entry.locale)
        let known = knowledge.defaults[place]
        self.init(
            place: place,
            message: entry.message,
            identifier: entry.identifier,
            state: known.map { State($0, wanted: entry.identifier) } ?? .unknown,
            since: known?.time
        )
    }
}

extension CatalogueStatus.DefaultRow.State {
    fileprivate init(_ known: JournalKnowledge.Default, wanted: UUID) {
        if known.identifier == wanted {
            self = .set
        } else {
            self = known.identifier.map { .other($0) } ?? .unset
        }
    }
}
