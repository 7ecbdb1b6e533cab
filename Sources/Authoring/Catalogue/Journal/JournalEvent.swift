public import AppStoreServerAPI
public import Vocabulary

/// An image or a message at Apple.
public struct CatalogueItem: Sendable, Hashable {
    /// The kinds of items.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case image
        /// A message in one locale.
        case message
    }

    /// The kind of the item: an image, or a message in one locale.
    public let kind: Kind
    /// The identifier at Apple.
    public let identifier: UUID

    public init(_ kind: Kind, _ identifier: UUID) {
        self.kind = kind
        self.identifier = identifier
    }
}

/// A product in a locale, which may have a default message. Ordered by product, then by locale.
public struct ProductLocale: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let product: String
    public let locale: String

    public init(product: String, locale: String) {
        self.product = product
        self.locale = locale
    }

    /// The product and the locale for people.
    public var description: String { "\(product) in \(locale)" }

    /// Returns true when `left` comes before `right`.
    public static func < (left: ProductLocale, right: ProductLocale) -> Bool {
        (left.product, left.locale) < (right.product, right.locale)
    }
}

/// An event that a journal records.
public enum JournalEvent: Sendable, Hashable {
    /// The first line: the owner of the journal.
    case begun(JournalOwner)
    /// An upload is about to be sent. The string names the item for people.
    case uploadStarted(CatalogueItem, name: String)
    /// Apple has the item.
    case uploadDone(CatalogueItem, ChangeOutcome)
    /// A delete is about to be sent.
    case deleteStarted(CatalogueItem)
    /// Apple has deleted the item.
    case deleteDone(CatalogueItem)
    /// Apple refused an upload or a delete. The string is the code of the error.
    case refused(CatalogueItem, code: String)
    /// Apple's list shows the item with a state that the journal did not have; nil when the list no longer has the item.
    case listed(CatalogueItem, ReviewState?)
    /// A default message is about to be set.
    case defaultStarted(ProductLocale, UUID)
    /// Apple took a default message.
    case defaultSet(ProductLocale, UUID)
    /// Apple refused a default message. The default message that was set before is still set.
    case defaultRefused(ProductLocale, UUID)
    /// Apple was asked for a default message and named this message; nil when no default message is set.
    case defaultAsked(ProductLocale, UUID?)
}
