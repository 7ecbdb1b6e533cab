extension RulesModel {
    /// A rule: when and for whom it takes part, and what it serves.
    public struct Rule: Sendable, Hashable {
        /// The id of the rule, unique in the file.
        public var id: String
        /// True when the rule is switched on.
        public var isEnabled = true
        /// The first millisecond since 1970 of the rule's window; nil when the window has no beginning.
        public var windowFrom: Int64?
        /// The first millisecond since 1970 after the rule's window; nil when the window has no end.
        public var windowTo: Int64?
        /// The condition of the rule; nil when the rule matches always.
        public var condition: Condition?
        /// The share of the subscribers for whom the rule takes part; nil for all.
        public var rollout: Split?
        /// What the rule serves: an outcome or arms.
        public var choice: Choice

        public init(id: String, choice: Choice) {
            self.id = id
            self.choice = choice
        }

        public init(id: String, outcome: Outcome) {
            self.init(id: id, choice: .outcome(outcome))
        }
    }

    /// What a rule serves: one outcome for everyone, or one of several arms.
    public enum Choice: Sendable, Hashable {
        /// The same outcome for everyone.
        case outcome(Outcome)
        /// One of several arms; the subscriber's bucket decides which.
        case variants(Variants)

        /// All outcomes in their order.
        public var outcomes: [Outcome] {
            switch self {
            case .outcome(let outcome): [outcome]
            case .variants(let variants): variants.arms.map(\.outcome)
            }
        }
    }

    /// Arms, each of which serves a share of the subscribers.
    public struct Variants: Sendable, Hashable {
        /// The salt of the hash, which makes this split independent of others.
        public var salt: String
        /// The string fact that is hashed to draw a subscriber's arm.
        public var unit: Fact
        /// The arms. They take the buckets 0 to 9999 in this order, and their weights sum to 10000.
        public var arms: [Arm]

        public init(salt: String, unit: Fact = .originalTransactionId, arms: [Arm]) {
            self.salt = salt
            self.unit = unit
            self.arms = arms
        }
    }

    /// An arm: one of several outcomes of a rule.
    public struct Arm: Sendable, Hashable {
        /// The name of the arm, unique in the rule.
        public var name: String
        /// How many of the 10000 buckets the arm takes; at least 1.
        public var weight: Int
        /// What the arm serves.
        public var outcome: Outcome

        public init(name: String, weight: Int, outcome: Outcome) {
            self.name = name
            self.weight = weight
            self.outcome = outcome
        }
    }

    /// A share of the subscribers: those whose bucket is below `basisPoints`.
    public struct Split: Sendable, Hashable {
        /// The salt of the hash, which makes this split independent of others.
        public var salt: String
        /// The string fact that is hashed to draw a subscriber's bucket.
        public var unit: Fact
        /// How many of the 10000 buckets are in the share; 0 to 10000.
        public var basisPoints: Int

        /// Makes a share of `basisPoints` of 10000 buckets.
        public init(salt: String, unit: Fact = .originalTransactionId, basisPoints: Int) {
            self.salt = salt
            self.unit = unit
            self.basisPoints = basisPoints
        }
    }

    /// What a rule, an arm, the holdout or the default serves.
    public enum Outcome: Sendable, Hashable {
        /// No message of ours; Apple's own fallback follows.
        case nothing
        /// The message at this place in ``RulesModel/messages``, of kind text.
        case message(Int)
        /// Another plan, with a message of kind switch.
        case `switch`(message: Int, productId: String, billingPlanType: BillingPlanType?)
        /// A promotional offer, with a message of kind offer.
        case offer(message: Int, productId: String, offerIdentifier: String)
        /// A change through the Advanced Commerce API, with a message of kind advancedCommerce. `request` is the JSON
        /// text of the API request.
        case advancedCommerce(message: Int, request: String)

        /// The place of the message in ``RulesModel/messages``; nil for `nothing`.
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
        /// The share of the subscribers that is held out.
        public var split: Split
        /// The first millisecond since 1970 at which nobody is held out any more; nil when the holdout has no end.
        public var until: Int64?
        /// What held-out subscribers get: nothing or a message.
        public var outcome: Outcome

        /// Makes a holdout; by default it has no end and serves nothing.
        public init(split: Split, until: Int64? = nil, outcome: Outcome = .nothing) {
            self.split = split
            self.until = until
            self.outcome = outcome
        }
    }

    /// The limits on how often a subscriber gets an offer, over all rules.
    public struct OfferCaps: Sendable, Hashable {
        /// The number of accepted offers from which on a subscriber gets no more offers; at least 1. Nil for no limit.
        public var maxAccepted: Int64?
        /// The number of days of 86,400 s that must pass after the last offer before the next one; 1 to
        /// ``DataFileLimits/dayCount``. Nil for no limit.
        public var minDaysSinceLast: Int64?
        /// The integer fact that counts the offers accepted; nil when the rules declare none.
        public var acceptedFact: Fact?
        /// The date fact with the date of the last offer; nil when the rules declare none.
        public var lastFact: Fact?
        /// True when a subscriber gets an offer when these facts about the subscriber are not known.
        public var allowsUnknown: Bool

        /// Makes caps; by default they have no limit.
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
    /// The whole year at once.
    case billedUpfront = "BILLED_UPFRONT"
    /// Month by month.
    case monthly = "MONTHLY"
}
