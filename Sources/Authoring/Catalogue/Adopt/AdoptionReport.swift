internal import AppStoreServerAPI
public import Vocabulary

/// Everything that an adoption added to a catalogue, and everything that it left out.
public struct AdoptionReport: Sendable, Hashable {
    /// An image or a message that has a name now.
    public struct Named: Sendable, Hashable {
        /// The image or the message.
        public let item: CatalogueItem
        /// The name, with the locale of a message.
        public let name: String
        /// True when the catalogue pins the identifier; false when its content has this identifier anyway.
        public let isPinned: Bool
    }

    /// A default message that the catalogue names now.
    public struct Default: Sendable, Hashable {
        public let place: ProductLocale
        public let message: String
    }

    /// A default message at Apple that the catalogue does not name.
    public struct LeftDefault: Sendable, Hashable {
        /// Why the catalogue does not name a default message.
        public enum Reason: Sendable, Hashable {
            /// The message has no name.
            case unnamed
            /// The message has a text in another locale, and a catalogue names a message with a text in the locale.
            case otherLocale(name: String, locale: String)
            /// The message cannot be a default message of the product in a catalogue: its kind is not `text`, or it was written
            /// for another product.
            case unfit(name: String)
            /// The catalogue names another message, which it keeps.
            case named(String)
            /// The catalogue does not have the product or the locale.
            case unknownPlace
        }

        public let place: ProductLocale
        /// The message at Apple.
        public let identifier: UUID
        /// Why the catalogue does not name the default message.
        public let reason: Reason
    }

    /// An image or a message that Apple lists and that has no name.
    public struct Unnamed: Sendable, Hashable {
        /// The image or the message.
        public let item: CatalogueItem
        /// Its state in Apple's list, as Apple spells it.
        public let state: String
        /// The products and locales of which it is the default message, as far as the journal knows.
        public let places: [ProductLocale]
    }

    /// The app and the environment for people.
    public let owner: String
    /// The images and then the messages that were added, in the order of the map.
    public internal(set) var named: [Named] = []
    /// The number of entries of the map that the catalogue knew before.
    public internal(set) var knownCount = 0
    /// The default messages that were added, by product and locale.
    public internal(set) var defaults: [Default] = []
    /// The default messages that were left out.
    public internal(set) var leftDefaults: [LeftDefault] = []
    /// The URL that was added; nil when none was.
    public internal(set) var realtimeURL: String?
    /// The URL that Apple asks, when the catalogue names another one, or cannot name it; nil otherwise.
    public internal(set) var leftRealtimeURL: String?
    /// The images and then the messages without a name, in Apple's order.
    public internal(set) var unnamed: [Unnamed] = []

    init(owner: String) {
        self.owner = owner
    }

    /// True when the catalogue has something that it did not have before.
    public var hasAdditions: Bool { !named.isEmpty || !defaults.isEmpty || realtimeURL != nil }
}
