public import Vocabulary

/// What a rules file says, as typed values: what the compiler makes and the writer writes, and what `dump` reads
/// back. The evaluator never sees it; it reads the file itself.
public struct RulesModel: Sendable, Hashable {
    /// The app, Apple's number.
    public var appAppleId: Int64
    /// The app's bundle identifier.
    public var bundleId: String
    /// The environment served.
    public var environment: Environment
    /// What the author says about the file, in the order of the source.
    public var metadata: [Metadatum] = []
    /// Whether nothing is to be decided.
    public var killSwitch = false
    /// Which locale to try after which; at most one for each.
    public var localeFallbacks: [LocaleFallback] = []
    /// The locale to try when all else had no message.
    public var lastLocale: String?
    /// The messages; rules name them by their place here.
    public var messages: [Message] = []
    /// The rules in the order of evaluation.
    public var rules: [Rule] = []
    /// What is served when no rule matches; nil for nothing.
    public var defaultOutcome: Outcome?

    /// Starts without any rule.
    public init(appAppleId: Int64, bundleId: String, environment: Environment) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
    }

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

        /// Makes one.
        public init(locale: String, identifier: UUID) {
            self.locale = locale
            self.identifier = identifier
        }
    }

    /// A rule.
    public struct Rule: Sendable, Hashable {
        /// Its id, unique in the file.
        public var id: String
        /// Whether it takes part.
        public var isEnabled = true
        /// The first millisecond at which it takes part; nil without beginning.
        public var windowFrom: Int64?
        /// The first millisecond at which it takes part no more; nil without end.
        public var windowTo: Int64?
        /// What must be true; nil for always.
        public var condition: Condition?
        /// What it serves.
        public var outcome: Outcome

        /// Makes a rule that always matches.
        public init(id: String, outcome: Outcome) {
            self.id = id
            self.outcome = outcome
        }
    }

    /// What is served.
    public enum Outcome: Sendable, Hashable {
        /// Nothing of ours; Apple's own fallback follows.
        case nothing
        /// The message at this place in ``RulesModel/messages``.
        case message(Int)
    }
}

/// What a message was made for. Rules of this version serve `text` alone; the others are kept in the file.
public enum MessageKind: UInt32, Sendable, Hashable, CaseIterable {
    /// A message by itself.
    case text = 1
    /// A message beside another plan.
    case `switch` = 2
    /// A message beside a promotional offer.
    case offer = 3

    /// The word in the rules language.
    public var name: String {
        switch self {
        case .text: "text"
        case .switch: "switch"
        case .offer: "offer"
        }
    }
}
