package import Facts
package import System

/// The contents of a rules source as typed values. The evaluator does not use them; it walks the ``RulesFile`` that is
/// made from them.
package struct RulesModel: Sendable, Hashable {
    package var appAppleId: Int64
    package var bundleId: String
    package var environment: Environment
    package var metadata: [Metadatum] = []
    /// True when the kill switch is on, so that every request gets no message.
    package var killSwitch = false
    /// The locale fallbacks: for a locale, the locale to try next. At most one for each locale.
    package var localeFallbacks: [LocaleFallback] = []
    /// The locale to try when all others had no message; nil when there is none.
    package var lastLocale: String?
    package var products: [Product] = []
    /// The declared facts; ``Fact/declared(_:)`` names them by their place here. At most ``DataFileLimits/factCount``.
    package var facts: [FactDeclaration] = []
    /// The messages; outcomes name them by their place here.
    package var messages: [Message] = []
    /// Conditions with a name. Each refers only to earlier ones; ``Condition/segment(_:)`` names them by their place
    /// here. At most ``DataFileLimits/segmentCount``.
    package var segments: [Segment] = []
    package var holdout: Holdout?
    package var caps: OfferCaps?
    package var rules: [Rule] = []
    /// The outcome when no rule serves; nil when then nothing is served.
    package var defaultOutcome: Outcome?
    package var tests: [EmbeddedTest] = []

    package init(appAppleId: Int64, bundleId: String, environment: Environment) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
    }

    /// The author's name of this version, `metadata.revision`; nil when the source has none.
    package var revision: String? { metadata.first { $0.key == "revision" }?.value }

    /// Returns the fact's name in the rules language. A declared fact that the model does not have gets `#` and its
    /// number.
    package func name(of fact: Fact) -> String {
        if case .declared(let index) = fact, facts.indices.contains(index) { return facts[index].name }
        return fact.builtInName ?? "#\(fact.number)"
    }

    package func kind(of fact: Fact) -> ValueKind? {
        if case .declared(let index) = fact { return facts.indices.contains(index) ? facts[index].kind : nil }
        return fact.builtInKind
    }
}

extension RulesModel {
    package struct Product: Sendable, Hashable {
        package var name: String
        package var group: String?

        package init(name: String, group: String? = nil) {
            self.name = name
            self.group = group
        }
    }

    /// A declared fact: rules that read it need a facts file that has it.
    package struct FactDeclaration: Sendable, Hashable {
        /// The name of the fact, unique in the file and different from the names of the built-in facts.
        package var name: String
        /// The kind of the fact's values. An enumeration has the kind string here.
        package var kind: ValueKind

        package init(name: String, kind: ValueKind) {
            self.name = name
            self.kind = kind
        }
    }

    package struct Segment: Sendable, Hashable {
        package var name: String
        package var condition: Condition

        package init(name: String, condition: Condition) {
            self.name = name
            self.condition = condition
        }
    }

    package struct Metadatum: Sendable, Hashable {
        package var key: String
        package var value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// A step from a locale to the one that stands in for it.
    package struct LocaleFallback: Sendable, Hashable {
        package var locale: String
        package var fallback: String

        package init(locale: String, fallback: String) {
            self.locale = locale
            self.fallback = fallback
        }
    }

    package struct Message: Sendable, Hashable {
        package var name: String
        package var kind: MessageKind
        package var identifiers: [LocalizedIdentifier]
        /// True when a rule fails when the search for an identifier comes to a locale that Apple has not approved. If
        /// false, the search goes on with the message's other locales.
        package var failsWhenUnapproved = false

        package init(name: String, kind: MessageKind, identifiers: [LocalizedIdentifier]) {
            self.name = name
            self.kind = kind
            self.identifiers = identifiers
        }
    }

    /// The words for what happens when the search for an identifier comes to a locale that Apple has not approved.
    package enum WhenUnapproved: String, Sendable, Hashable, CaseIterable {
        /// The search goes on with the message's other locales.
        case fallback
        /// The rule fails, and the next rule is tried.
        case pass
    }

    package struct LocalizedIdentifier: Sendable, Hashable {
        package var locale: String
        package var identifier: UUID
        package var unapproved: Unapproved?

        package var isMasked: Bool { unapproved != nil }

        package init(locale: String, identifier: UUID, unapproved: Unapproved? = nil) {
            self.locale = locale
            self.identifier = identifier
            self.unapproved = unapproved
        }
    }

    /// The state of a message that Apple has not approved, in Apple's words.
    package enum Unapproved: String, Sendable, Hashable, CaseIterable {
        case pending = "PENDING"
        case rejected = "REJECTED"
    }
}

/// The kind of outcome for which a message was made. The raw values are the numbers in the file.
package enum MessageKind: UInt32, Sendable, Hashable, CaseIterable {
    case text = 1
    case `switch` = 2
    case offer = 3
    case advancedCommerce = 4

    package var name: String { "\(self)" }
}

extension RulesModel {
    package struct Rule: Sendable, Hashable {
        package var id: String
        package var isEnabled = true
        /// The first millisecond since 1970 of the rule's window; nil when the window has no beginning.
        package var windowFrom: Int64?
        /// The first millisecond since 1970 after the rule's window; nil when the window has no end.
        package var windowTo: Int64?
        package var condition: Condition?
        package var rollout: Split?
        package var choice: Choice

        package init(id: String, choice: Choice) {
            self.id = id
            self.choice = choice
        }

        package init(id: String, outcome: Outcome) {
            self.init(id: id, choice: .outcome(outcome))
        }
    }

    /// What a rule serves: one outcome for everyone, or one of several arms.
    package enum Choice: Sendable, Hashable {
        case outcome(Outcome)
        case variants(Variants)

        package var outcomes: [Outcome] {
            switch self {
            case .outcome(let outcome): [outcome]
            case .variants(let variants): variants.arms.map(\.outcome)
            }
        }
    }

    package struct Variants: Sendable, Hashable {
        package var salt: String
        /// The string fact that is hashed to draw a subscriber's arm.
        package var unit: Fact
        /// The arms. They take the buckets 0 to 9999 in this order, and their weights sum to 10000.
        package var arms: [Arm]

        package init(salt: String, unit: Fact = .originalTransactionId, arms: [Arm]) {
            self.salt = salt
            self.unit = unit
            self.arms = arms
        }
    }

    package struct Arm: Sendable, Hashable {
        package var name: String
        /// How many of the 10000 buckets the arm takes; at least 1.
        package var weight: Int
        package var outcome: Outcome

        package init(name: String, weight: Int, outcome: Outcome) {
            self.name = name
            self.weight = weight
            self.outcome = outcome
        }
    }

    /// A share of the subscribers: those whose bucket is below `basisPoints`.
    package struct Split: Sendable, Hashable {
        package var salt: String
        package var unit: Fact
        /// How many of the 10000 buckets are in the share; 0 to 10000.
        package var basisPoints: Int

        package init(salt: String, unit: Fact = .originalTransactionId, basisPoints: Int) {
            self.salt = salt
            self.unit = unit
            self.basisPoints = basisPoints
        }
    }

    package enum Outcome: Sendable, Hashable {
        /// No message of ours; Apple's own fallback follows.
        case nothing
        /// The message at this place in ``RulesModel/messages``, of kind text.
        case message(Int)
        case `switch`(message: Int, productId: String, billingPlanType: BillingPlanType?)
        case offer(message: Int, productId: String, offerIdentifier: String)
        /// A change through the Advanced Commerce API, with a message of kind advancedCommerce. `request` is the JSON
        /// text of the API request.
        case advancedCommerce(message: Int, request: String)

        package var message: Int? {
            switch self {
            case .nothing: nil
            case .message(let message), .switch(let message, _, _), .offer(let message, _, _),
                .advancedCommerce(let message, _):
                message
            }
        }
    }

    /// The holdout: a share of the subscribers that no rule serves, to compare the others with.
    package struct Holdout: Sendable, Hashable {
        package var split: Split
        /// The first millisecond since 1970 at which nobody is held out any more; nil when the holdout has no end.
        package var until: Int64?
        package var outcome: Outcome

        package init(split: Split, until: Int64? = nil, outcome: Outcome = .nothing) {
            self.split = split
            self.until = until
            self.outcome = outcome
        }
    }

    package struct OfferCaps: Sendable, Hashable {
        /// The number of accepted offers from which on a subscriber gets no more offers; at least 1. Nil for no limit.
        package var maxAccepted: Int64?
        /// The number of days of 86,400 s that must pass after the last offer before the next one; 1 to
        /// ``DataFileLimits/dayCount``. Nil for no limit.
        package var minDaysSinceLast: Int64?
        /// The integer fact that counts the offers accepted; nil when the rules declare none.
        package var acceptedFact: Fact?
        /// The date fact with the date of the last offer; nil when the rules declare none.
        package var lastFact: Fact?
        /// True when a subscriber gets an offer when these facts about the subscriber are not known.
        package var allowsUnknown: Bool

        package init(
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
package enum BillingPlanType: String, Sendable, Hashable, CaseIterable {
    /// The whole year at once.
    case billedUpfront = "BILLED_UPFRONT"
    /// Month by month.
    case monthly = "MONTHLY"
}

extension RulesModel {
    /// A test in a rules file: a request that the author wrote, and the decision that the author expects. The test is
    /// run as if the server could sign everything.
    package struct EmbeddedTest: Sendable, Hashable {
        package var name: String
        package var productId: String
        package var userLocale: String
        package var originalTransactionId: String
        package var nowMilliseconds: Int64
        /// The facts in the subscriber's record, without those that are missing; nil when there is no record.
        package var facts: [TestFact]?
        package var factsAgeSeconds: Int64?
        package var expectation: Expectation

        package init(
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

    package struct TestFact: Sendable, Hashable {
        package var fact: Fact
        package var value: FactValue

        package init(fact: Fact, value: FactValue) {
            self.fact = fact
            self.value = value
        }
    }

    /// The decision that a test expects. Whatever is nil or false here is not compared.
    package struct Expectation: Sendable, Hashable {
        package var rule: RuleExpectation?
        package var arm: String?
        /// The message that should be served, as its place in ``RulesModel/messages``.
        package var message: Int?
        /// The reason, as ``DecisionReason`` of Decisions spells it.
        package var reason: String?
        package var servesNothing: Bool

        package init(
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

    package enum RuleExpectation: Sendable, Hashable {
        case rule(Int)
        case `default`
        case none
    }
}
