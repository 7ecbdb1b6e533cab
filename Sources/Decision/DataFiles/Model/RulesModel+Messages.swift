public import Vocabulary

extension RulesModel {
    /// One thing that the author says about the file.
    public struct Metadatum: Sendable, Hashable {
        /// Its name: `revision`.
        public var key: String
        /// Its value.
        public var value: String

        /// Makes one.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// One step from a locale to another.
    public struct LocaleFallback: Sendable, Hashable {
        /// The locale that has no message.
        public var locale: String
        /// The locale to try then.
        public var fallback: String

        /// Makes one.
        public init(locale: String, fallback: String) {
            self.locale = locale
            self.fallback = fallback
        }
    }

    /// A message under one name, with an identifier for each of its locales.
    public struct Message: Sendable, Hashable {
        /// The name that rules use.
        public var name: String
        /// What it may be served as.
        public var kind: MessageKind
        /// Its identifiers; at most one for each locale.
        public var identifiers: [LocalizedIdentifier]
        /// Whether a rule fails when it comes to a locale that is not approved. Else the message's other locales are
        /// tried.
        public var passesUnapproved = false

        /// Makes one.
        public init(name: String, kind: MessageKind, identifiers: [LocalizedIdentifier]) {
            self.name = name
            self.kind = kind
            self.identifiers = identifiers
        }
    }

    /// The identifier of a message in one locale.
    public struct LocalizedIdentifier: Sendable, Hashable {
        /// The locale, case-sensitive.
        public var locale: String
        /// What the message was uploaded under.
        public var identifier: UUID
        /// Whether it must not be served: Apple has not approved it yet.
        public var isMasked: Bool

        /// Makes one.
        public init(locale: String, identifier: UUID, isMasked: Bool = false) {
            self.locale = locale
            self.identifier = identifier
            self.isMasked = isMasked
        }
    }
}

/// What a message was made for. The numbers are those of the file.
public enum MessageKind: UInt32, Sendable, Hashable, CaseIterable {
    /// A message by itself.
    case text = 1
    /// A message beside another plan.
    case `switch` = 2
    /// A message beside a promotional offer.
    case offer = 3
    /// A message beside a change through the Advanced Commerce API.
    case advancedCommerce = 4

    /// The word in the rules language.
    public var name: String {
        switch self {
        case .text: "text"
        case .switch: "switch"
        case .offer: "offer"
        case .advancedCommerce: "advancedCommerce"
        }
    }
}
