public import AppStoreServerAPI
public import Vocabulary

/// The steps after which Apple has what a catalogue wants, in the order in which `catalogue apply` does them.
///
/// Pure: the same catalogue, lists and knowledge always give the same plan.
public struct CataloguePlan: Sendable, Hashable {
    /// A step of the plan: an upload, a wait, a default message, or the URL.
    public enum Step: Sendable, Hashable {
        case uploadImage(ResolvedCatalogue.Image)
        case uploadMessage(ResolvedCatalogue.Message)
        /// Wait until Apple has approved the images and messages that default messages need.
        case waitForApproval([CatalogueItem])
        /// Set a default message.
        case setDefault(DefaultChange)
        /// Set the URL that Apple asks. The first string is the URL that Apple has.
        case setURL(replacing: String?, String)
    }

    /// A default message that has to be set.
    public struct DefaultChange: Sendable, Hashable {
        /// The knowledge about the default message that is set now.
        public enum Former: Sendable, Hashable {
            /// Nothing is known: there is no journal, or the outcome of a call was lost.
            case unknown
            /// Apple said at that time that none is set.
            case unset(at: Int64)
            /// Another message was set, or Apple named it, at that time.
            case other(UUID, at: Int64)
        }

        public let place: ProductLocale
        public let message: String
        /// The identifier of the message.
        public let identifier: UUID
        /// The knowledge about the default message that is set now.
        public let former: Former
    }

    /// An image or a message at Apple that the catalogue does not name. `catalogue apply` leaves it there.
    public struct Orphan: Sendable, Hashable {
        /// The image or the message.
        public let item: CatalogueItem
        /// Its state in Apple's list.
        public let state: ReviewState
        /// Its name when this machine uploaded it.
        public let name: String?
    }

    /// The parts of the catalogue that Apple has already.
    public struct Staying: Sendable, Hashable {
        /// The number of images.
        public internal(set) var imageCount = 0
        /// The number of messages.
        public internal(set) var messageCount = 0
        /// The number of images and messages that Apple has not reviewed yet.
        public internal(set) var pendingCount = 0
        /// The number of default messages, as far as is known.
        public internal(set) var defaultCount = 0
        /// The time when the journal learnt of the oldest of these default messages; nil when there are none.
        public internal(set) var oldestDefault: Int64?
        /// The URL, when it is set as the catalogue wants it.
        public internal(set) var realtimeURL: String?
    }

    /// The environment in which the steps are done.
    public let environment: Environment
    /// The bundle identifier of the app.
    public let bundleId: String
    /// The steps in their order.
    public internal(set) var steps: [Step] = []
    /// The parts of the catalogue that Apple has already.
    public internal(set) var staying = Staying()
    /// The images and then the messages that the catalogue does not name, in Apple's order.
    public internal(set) var orphans: [Orphan] = []
    /// Default messages that this machine set and the catalogue no longer names, by product and locale.
    public internal(set) var formerDefaults: [ProductLocale] = []
    /// The URL that Apple asks and the catalogue does not name; nil when no such URL is set.
    public internal(set) var formerURL: String?
    /// What is worth knowing before the plan is applied, and keeps nothing from being applied.
    public var notes: [Finding] = []
    /// The problems that only the author of the catalogue can resolve.
    public internal(set) var problems: [PlanProblem] = []
    /// The number of images that Apple lists.
    public internal(set) var imagesAtApple = 0
    /// The number of messages that Apple lists.
    public internal(set) var messagesAtApple = 0

    init(environment: Environment, bundleId: String) {
        self.environment = environment
        self.bundleId = bundleId
    }

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue.
    ///   - inventory: Apple's lists, with the URL.
    ///   - knowledge: what the journal knows.
    public init(_ catalogue: ResolvedCatalogue, inventory: AppleInventory, knowledge: JournalKnowledge) {
        self = PlanMaker(catalogue, inventory, knowledge).make()
    }

    public var hasChanges: Bool { !steps.isEmpty }

    /// The calls that change something, and the lists that a wait asks for, in the order of the steps.
    public var calls: [(operation: AppStoreServerOperation, count: Int)] {
        var calls: [(operation: AppStoreServerOperation, count: Int)] = []
        func add(_ operation: AppStoreServerOperation) {
            if calls.last?.operation == operation {
                calls[calls.count - 1].count += 1
            } else {
                calls.append((operation, 1))
            }
        }
        for step in steps {
            switch step {
            case .uploadImage: add(.uploadImage)
            case .uploadMessage: add(.uploadMessage)
            case .waitForApproval:
                add(.listImages)
                add(.listMessages)
            case .setDefault: add(.setDefault)
            case .setURL: add(.setURL)
            }
        }
        return calls
    }
}

extension ResolvedCatalogue.Image {
    /// The place of the image in the catalogue.
    var path: String { "images.\(names.first ?? "")" }
}

extension ResolvedCatalogue.Message {
    /// The place of the message in the catalogue.
    var path: String { "messages.\(name).\(locale)" }
}

extension ResolvedCatalogue {
    /// All images and messages of the catalogue.
    var items: Set<CatalogueItem> {
        Set(
            images.map { CatalogueItem(.image, $0.identifier) }
                + messages.map { CatalogueItem(.message, $0.identifier) }
        )
    }

    /// The images of each message, by the identifier of the message.
    public var imagesByMessage: [UUID: [UUID]] {
        Dictionary(messages.map { ($0.identifier, $0.images) }) { first, _ in first }
    }
}
