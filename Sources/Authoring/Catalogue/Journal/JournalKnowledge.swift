public import AppStoreServerAPI
public import Vocabulary

/// The knowledge from the lines of a journal: about images and messages, and about default messages, which Apple does not list.
public struct JournalKnowledge: Sendable, Hashable {
    /// The knowledge about an image or a message.
    public struct Item: Sendable, Hashable {
        /// The name of the item for people; nil when this journal saw no upload of it.
        public internal(set) var name: String?
        /// The time when an upload was begun.
        public internal(set) var uploadStarted: Int64?
        /// The time when Apple was known to have the item.
        public internal(set) var uploaded: Int64?
        /// The time when the item was deleted through this journal.
        public internal(set) var deleted: Int64?
        /// The state in Apple's list; nil when the list did not have the item.
        public internal(set) var state: ReviewState?
        /// The time when the list first showed ``state``.
        public internal(set) var stateSince: Int64?
        /// The time when the list last showed another state than before; nil when the journal saw one state alone.
        public internal(set) var stateChanged: Int64?
        /// True when Apple's list once showed the item as approved.
        public internal(set) var wasApproved = false
        /// The code of Apple's last refusal, when no call for the item came after it.
        public internal(set) var refusal: String?

        /// True when an upload was begun and its outcome is not in the journal.
        public var isOutcomeUnknown: Bool { uploadStarted != nil && uploaded == nil && refusal == nil }
        /// True when Apple once had the item.
        public var wasThere: Bool { uploaded != nil || deleted != nil }
        /// True when Apple refused the last upload because an item with this identifier exists, or has existed.
        public var isIdentifierUsed: Bool {
            refusal == AppStoreServerAPIErrorCode.imageAlreadyExists.code
                || refusal == AppStoreServerAPIErrorCode.messageAlreadyExists.code
        }
        /// True when Apple's list, or the answer to a deletion, said last that Apple does not have the item any more.
        public var isGone: Bool {
            guard wasThere, !isOutcomeUnknown, state == nil, let stateSince else { return false }
            return stateSince >= uploaded ?? stateSince
        }
    }

    /// The knowledge about a default message.
    public struct Default: Sendable, Hashable {
        /// The message; nil when Apple said that none is set.
        public let identifier: UUID?
        public let time: Int64
    }

    /// The images and messages that the journal mentions.
    public private(set) var items: [CatalogueItem: Item] = [:]
    /// The default messages that are known for sure. One that was about to be set when the journal ended is not among them.
    public private(set) var defaults: [ProductLocale: Default] = [:]
    /// The knowledge about a default message before the call that sets it; nil when there was none.
    private var pending: [ProductLocale: Default?] = [:]

    /// The products and locales of which a call to set the default message was begun and has no outcome in the journal, by
    /// product and locale.
    public var unsettledDefaults: [ProductLocale] { pending.keys.sorted() }

    public init() {}

    /// Takes an event into account.
    public mutating func add(_ event: JournalEvent, at time: Int64) {
        switch event {
        case .begun: break
        case .uploadStarted(let item, let name):
            change(item) {
                $0.name = name
                $0.uploadStarted = time
                $0.uploaded = nil
                $0.refusal = nil
            }
        case .uploadDone(let item, _): change(item) { $0.uploaded = time }
        case .deleteStarted: break
        case .deleteDone(let item):
            change(item) {
                $0.deleted = time
                $0.state = nil
                $0.stateSince = time
                $0.stateChanged = time
            }
        case .refused(let item, let code): change(item) { $0.refusal = code }
        case .listed(let item, let state):
            change(item) {
                if $0.stateSince != nil { $0.stateChanged = time }
                $0.state = state
                $0.stateSince = time
                if state != nil, $0.uploaded == nil { $0.uploaded = time }
                if state == .approved { $0.wasApproved = true }
            }
        case .defaultStarted(let place, _):
            // After two calls in a row without a known outcome, nobody knows what was set before them.
            pending[place] = pending[place] == nil ? .some(defaults[place]) : .some(nil)
            defaults[place] = nil
        case .defaultRefused(let place, _):
            if let before = pending.removeValue(forKey: place) { defaults[place] = before }
        case .defaultSet(let place, let identifier):
            pending[place] = nil
            defaults[place] = Default(identifier: identifier, time: time)
        case .defaultAsked(let place, let identifier):
            pending[place] = nil
            defaults[place] = Default(identifier: identifier, time: time)
        }
    }

    private mutating func change(_ item: CatalogueItem, _ body: (inout Item) -> Void) {
        body(&items[item, default: Item()])
    }
}
