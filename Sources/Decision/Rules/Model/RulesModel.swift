public import Facts
public import System

/// The evaluator does not use it; it walks the ``RulesFile`` that is made from it.
public struct RulesModel: Sendable, Hashable {
    public var appAppleId: Int64
    public var bundleId: String
    public var environment: Environment
    public var metadata: [Metadatum] = []
    public var killSwitch = false
    /// The locale fallbacks: for a locale, the locale to try next. At most one for each locale.
    public var localeFallbacks: [LocaleFallback] = []
    public var lastLocale: String?
    public var products: [Product] = []
    /// The declared facts; ``Fact/declared(_:)`` names them by their place here. At most ``DataFileLimits/factCount``.
    public var facts: [FactDeclaration] = []
    public var messages: [Message] = []
    /// Each refers only to earlier ones.
    public var segments: [Segment] = []
    public var holdout: Holdout?
    public var caps: OfferCaps?
    public var rules: [Rule] = []
    public var defaultOutcome: Outcome?
    public var tests: [EmbeddedTest] = []

    public init(appAppleId: Int64, bundleId: String, environment: Environment) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
    }

    /// The author's name of this version, `metadata.revision`; nil when the source has none.
    public var revision: String? { metadata.first { $0.key == "revision" }?.value }

    /// A declared fact that the model does not have gets `#` and its number.
    public func name(of fact: Fact) -> String {
        if case .declared(let index) = fact, facts.indices.contains(index) { return facts[index].name }
        return fact.builtInName ?? "#\(fact.number)"
    }

    public func kind(of fact: Fact) -> ValueKind? {
        if case .declared(let index) = fact { return facts.indices.contains(index) ? facts[index].kind : nil }
        return fact.builtInKind
    }
}

extension RulesModel {
    public struct Product: Sendable, Hashable {
        public var name: String
        public var group: String?

        public init(name: String, group: String? = nil) {
            self.name = name
            self.group = group
        }
    }

    public struct FactDeclaration: Sendable, Hashable {
        public var name: String
        public var kind: ValueKind
        public var values: [String]?

        public init(name: String, kind: ValueKind, values: [String]? = nil) {
            self.name = name
            self.kind = kind
            self.values = values
        }
    }

    public struct Segment: Sendable, Hashable {
        public var name: String
        public var condition: Condition

        public init(name: String, condition: Condition) {
            self.name = name
            self.condition = condition
        }
    }

    public struct Metadatum: Sendable, Hashable {
        public var key: String
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    public struct LocaleFallback: Sendable, Hashable {
        public var locale: String
        public var fallback: String

        public init(locale: String, fallback: String) {
            self.locale = locale
            self.fallback = fallback
        }
    }

    public struct Message: Sendable, Hashable {
        public var name: String
        public var kind: MessageKind
        public var identifiers: [LocalizedIdentifier]
        /// True when the rule fails in a locale that Apple has not approved; if false, the other locales are tried.
        public var failsWhenUnapproved = false

        public init(name: String, kind: MessageKind, identifiers: [LocalizedIdentifier]) {
            self.name = name
            self.kind = kind
            self.identifiers = identifiers
        }
    }

    /// The words for what happens when the search for an identifier comes to a locale that Apple has not approved.
    public enum WhenUnapproved: String, Sendable, Hashable, CaseIterable {
        case fallback
        case pass
    }

    public struct LocalizedIdentifier: Sendable, Hashable {
        public var locale: String
        public var identifier: UUID
        public var unapproved: Unapproved?

        public var isMasked: Bool { unapproved != nil }

        public init(locale: String, identifier: UUID, unapproved: Unapproved? = nil) {
            self.locale = locale
            self.identifier = identifier
            self.unapproved = unapproved
        }
    }

    /// The state of a message that Apple has not approved, in Apple's words.
    public enum Unapproved: String, Sendable, Hashable, CaseIterable {
        case pending = "PENDING"
        case rejected = "REJECTED"
    }
}

/// The kind of outcome for which a message was made. The raw values are the numbers in the file.
public enum MessageKind: UInt32, Sendable, Hashable, CaseIterable {
    case text = 1
    case `switch` = 2
    case offer = 3
    case advancedCommerce = 4

    public var name: String { "\(self)" }
}

extension RulesModel {
    public struct Rule: Sendable, Hashable {
        public var id: String
        public var isEnabled = true
        /// The first millisecond of the rule's window; nil when it has no beginning.
        public var windowFrom: Int64?
        /// The first millisecond after the rule's window; nil when it has no end.
        public var windowTo: Int64?
        public var condition: Condition?
        public var rollout: Split?
        public var choice: Choice

        public init(id: String, choice: Choice) {
            self.id = id
            self.choice = choice
        }

        public init(id: String, outcome: Outcome) {
            self.init(id: id, choice: .outcome(outcome))
        }
    }

    public enum Choice: Sendable, Hashable {
        case outcome(Outcome)
        case variants(Variants)

        public var outcomes: [Outcome] {
            switch self {
            case .outcome(let outcome): [outcome]
            case .variants(let variants): variants.arms.map(\.outcome)
            }
        }
    }

    public struct Variants: Sendable, Hashable {
        public var salt: String
        public var unit: Fact
        /// The arms. They take the buckets 0 to 9999 in this order, and their weights sum to 10000.
        public var arms: [Arm]

        public init(salt: String, unit: Fact = .originalTransactionId, arms: [Arm]) {
            self.salt = salt
            self.unit = unit
            self.arms = arms
        }
    }

    public struct Arm: Sendable, Hashable {
        public var name: String
        public var weight: Int
        public var outcome: Outcome

        public init(name: String, weight: Int, outcome: Outcome) {
            self.name = name
            self.weight = weight
            self.outcome = outcome
        }
    }

    /// A share of the subscribers: those whose bucket is below `basisPoints`.
    public struct Split: Sendable, Hashable {
        public var salt: String
        public var unit: Fact
        public var basisPoints: Int

        public init(salt: String, unit: Fact = .originalTransactionId, basisPoints: Int) {
            self.salt = salt
            self.unit = unit
            self.basisPoints = basisPoints
        }
    }

    public enum Outcome: Sendable, Hashable {
        case nothing
        case message(Int)
        case `switch`(message: Int, productId: String, billingPlanType: BillingPlanType?)
        case offer(message: Int, productId: String, offerIdentifier: String)
        case advancedCommerce(message: Int, request: String)

        public var message: Int? {
            switch self {
            case .nothing: nil
            case .message(let message), .switch(let message, _, _), .offer(let message, _, _),
                .advancedCommerce(let message, _):
                message
            }
        }
    }

    /// The holdout: a share of the subscribers that no rule serves, to compare the others with.
    public struct Holdout: Sendable, Hashable {
        public var split: Split
        public var until: Int64?
        public var outcome: Outcome

        public init(split: Split, until: Int64? = nil, outcome: Outcome = .nothing) {
            self.split = split
            self.until = until
            self.outcome = outcome
        }
    }

    public struct OfferCaps: Sendable, Hashable {
        public var maxAccepted: Int64?
        public var minDaysSinceLast: Int64?
        public var acceptedFact: Fact?
        public var lastFact: Fact?
        /// True when a subscriber gets an offer when these facts about the subscriber are not known.
        public var allowsUnknown: Bool

        public init(
            maxAccepted: Int64? = nil, minDaysSinceLast: Int64? = nil, acceptedFact: Fact? = nil,
            lastFact: Fact? = nil, allowsUnknown: Bool = false
        ) {
            self.maxAccepted = maxAccepted
            self.minDaysSinceLast = minDaysSinceLast
            self.acceptedFact = acceptedFact
            self.lastFact = lastFact
            self.allowsUnknown = allowsUnknown
        }
    }
}

/// How the subscriber pays for a plan of a year. The raw values are Apple's words.
public enum BillingPlanType: String, Sendable, Hashable, CaseIterable {
    case billedUpfront = "BILLED_UPFRONT"
    case monthly = "MONTHLY"
}

extension RulesModel {
    /// Run as if the server could sign everything.
    public struct EmbeddedTest: Sendable, Hashable {
        public var name: String
        public var productId: String
        public var userLocale: String
        public var originalTransactionId: String
        public var nowMilliseconds: Int64
        public var facts: [TestFact]?
        public var factsAgeSeconds: Int64?
        public var expectation: Expectation

        public init(
            name: String, productId: String, userLocale: String, originalTransactionId: String,
            nowMilliseconds: Int64, facts: [TestFact]? = nil, factsAgeSeconds: Int64? = nil,
            expectation: Expectation
        ) {
            self.name = name
            self.productId = productId
            self.userLocale = userLocale
            self.originalTransactionId = originalTransactionId
            self.nowMilliseconds = nowMilliseconds
            self.facts = facts
            self.factsAgeSeconds = factsAgeSeconds
            self.expectation = expectation
        }
    }

    public struct TestFact: Sendable, Hashable {
        public var fact: Fact
        public var value: FactValue

        public init(fact: Fact, value: FactValue) {
            self.fact = fact
            self.value = value
        }
    }

    public struct Expectation: Sendable, Hashable {
        public var rule: RuleExpectation?
        public var arm: String?
        public var message: Int?
        public var reason: String?
        public var servesNothing: Bool

        public init(
            rule: RuleExpectation? = nil, arm: String? = nil, message: Int? = nil, reason: String? = nil,
            servesNothing: Bool = false
        ) {
            self.rule = rule
            self.arm = arm
            self.message = message
            self.reason = reason
            self.servesNothing = servesNothing
        }
    }

    public enum RuleExpectation: Sendable, Hashable {
        case rule(Int)
        case `default`
        case none
    }
}
