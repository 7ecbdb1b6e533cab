public import Vocabulary

extension RulesModel {
    /// An entry of the source's `metadata`, with which the author describes the file.
    public struct Metadatum: Sendable, Hashable {
        /// The key, such as `revision`.
        public var key: String
        /// The value of the key.
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// A step from a locale to the one that stands in for it.
    public struct LocaleFallback: Sendable, Hashable {
        /// The locale in which there is no message.
        public var locale: String
        /// The locale to try next.
        public var fallback: String

        public init(locale: String, fallback: String) {
            self.locale = locale
            self.fallback = fallback
        }
    }

    /// A message under one name, with an identifier for each of its locales.
    public struct Message: Sendable, Hashable {
        /// The name that rules use.
        public var name: String
        /// The kind of outcome that may serve the message.
        public var kind: MessageKind
        /// The identifiers of the message; at most one for each locale.
        public var identifiers: [LocalizedIdentifier]
        /// True when a rule fails when the search for an identifier comes to a locale that Apple has not approved. If
        /// false, the search goes on with the message's other locales.
        public var failsWhenUnapproved = false

        /// Makes a message whose other locales are tried when a locale is not approved.
        public init(name: String, kind: MessageKind, identifiers: [LocalizedIdentifier]) {
            self.name = name
            self.kind = kind
            self.identifiers = identifiers
        }
    }

    /// The words for what happens when the search for an identifier comes to a locale that Apple has not approved.
    public enum WhenUnapproved: String, Sendable, Hashable, CaseIterable {
        /// The search goes on with the message's other locales.
        case fallback
        /// The rule fails, and the next rule is tried.
        case pass
    }

    /// The identifier of a message in one locale.
    public struct LocalizedIdentifier: Sendable, Hashable {
        /// The locale, case-sensitive.
        public var locale: String
        /// The identifier under which the message was uploaded.
        public var identifier: UUID
        /// Why Apple does not show the message; nil when Apple has approved it.
        public var unapproved: Unapproved?

        /// True when the server must not serve the identifier, because Apple has not approved it yet.
        public var isMasked: Bool { unapproved != nil }

        public init(locale: String, identifier: UUID, unapproved: Unapproved? = nil) {
            self.locale = locale
            self.identifier = identifier
            self.unapproved = unapproved
        }
    }

    /// The state of a message that Apple has not approved, in Apple's words.
    public enum Unapproved: String, Sendable, Hashable, CaseIterable {
        /// Apple is reviewing the message or an image of it.
        case pending = "PENDING"
        /// Apple has rejected the message or an image of it.
        case rejected = "REJECTED"
    }
}

/// The kind of outcome for which a message was made. The raw values are the numbers in the file.
public enum MessageKind: UInt32, Sendable, Hashable, CaseIterable {
    /// A message that is served by itself.
    case text = 1
    /// A message that goes with another plan.
    case `switch` = 2
    /// A message that goes with a promotional offer.
    case offer = 3
    /// A message that goes with a change through the Advanced Commerce API.
    case advancedCommerce = 4

    /// The kind as a word of the rules language.
    public var name: String { "\(self)" }
}
