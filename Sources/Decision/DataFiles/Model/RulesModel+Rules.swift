extension RulesModel {
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
        /// Which share of the subscribers it takes; nil for all.
        public var rollout: Split?
        /// What it serves.
        public var choice: Choice

        /// Makes a rule that always matches.
        public init(id: String, choice: Choice) {
            self.id = id
            self.choice = choice
        }

        /// Makes a rule that always matches and serves one thing.
        public init(id: String, outcome: Outcome) {
            self.init(id: id, choice: .outcome(outcome))
        }
    }

    /// One outcome for everyone, or several.
    public enum Choice: Sendable, Hashable {
        /// The same for everyone.
        case outcome(Outcome)
        /// One of several arms.
        case variants(Variants)

        /// All outcomes in their order.
        public var outcomes: [Outcome] {
            switch self {
            case .outcome(let outcome): [outcome]
            case .variants(let variants): variants.arms.map(\.outcome)
            }
        }
    }

    /// Arms that share the subscribers among them.
    public struct Variants: Sendable, Hashable {
        /// What makes this split independent of others.
        public var salt: String
        /// The string fact that decides who gets what.
        public var unit: Fact
        /// The arms; they take the buckets 0 to 9999 in this order, and their weights sum to 10000.
        public var arms: [Arm]

        /// Makes some.
        public init(salt: String, unit: Fact = .originalTransactionId, arms: [Arm]) {
            self.salt = salt
            self.unit = unit
            self.arms = arms
        }
    }

    /// One of several outcomes of a rule.
    public struct Arm: Sendable, Hashable {
        /// Its name, unique in the rule.
        public var name: String
        /// How many of 10000 buckets it takes; at least 1.
        public var weight: Int
        /// What it serves.
        public var outcome: Outcome

        /// Makes one.
        public init(name: String, weight: Int, outcome: Outcome) {
            self.name = name
            self.weight = weight
            self.outcome = outcome
        }
    }

    /// A share of the subscribers: those whose bucket is below `basisPoints`.
    public struct Split: Sendable, Hashable {
        /// What makes this split independent of others.
        public var salt: String
        /// The string fact that decides who is in.
        public var unit: Fact
        /// How many of 10000 buckets are in; 0 to 10000.
        public var basisPoints: Int

        /// Makes one.
        public init(salt: String, unit: Fact = .originalTransactionId, basisPoints: Int) {
            self.salt = salt
            self.unit = unit
            self.basisPoints = basisPoints
        }
    }

    /// What is served.
    public enum Outcome: Sendable, Hashable {
        /// Nothing of ours; Apple's own fallback follows.
        case nothing
        /// The message at this place in ``RulesModel/messages``, of kind text.
        case message(Int)
        /// Another plan beside a message of kind switch.
        case `switch`(message: Int, productId: String, billingPlanType: BillingPlanType?)
        /// A promotional offer beside a message of kind offer.
        case offer(message: Int, productId: String, offerIdentifier: String)
        /// A change through the Advanced Commerce API, the JSON text of its request, beside a message of kind
        /// advancedCommerce.
        case advancedCommerce(message: Int, request: String)

        /// The place of its message; nil for nothing.
        public var message: Int? {
            switch self {
            case .nothing: nil
            case .message(let message), .switch(let message, _, _), .offer(let message, _, _),
                .advancedCommerce(let message, _):
                message
            }
        }
    }

    /// Who is kept out of all rules, to compare with.
    public struct Holdout: Sendable, Hashable {
        /// Which subscribers.
        public var split: Split
        /// The first millisecond at which nobody is kept out any more; nil without end.
        public var until: Int64?
        /// What they get: nothing or a message.
        public var outcome: Outcome

        /// Makes one.
        public init(split: Split, until: Int64? = nil, outcome: Outcome = .nothing) {
            self.split = split
            self.until = until
            self.outcome = outcome
        }
    }

    /// How often a subscriber gets an offer, over all rules.
    public struct OfferCaps: Sendable, Hashable {
        /// No offer to one who has accepted so many; at least 1. Nil for no limit.
        public var maxAccepted: Int64?
        /// No offer before so many days of 86,400 s have passed since the last one; 1 to
        /// ``DataFileLimits/dayCount``. Nil for no limit.
        public var minDaysSinceLast: Int64?
        /// The integer fact that counts the offers accepted; nil when the rules declare none.
        public var acceptedFact: Fact?
        /// The date fact of the last offer; nil when the rules declare none.
        public var lastFact: Fact?
        /// Whether an offer is made to a subscriber of whom this is not known.
        public var allowsUnknown: Bool

        /// Makes some without a limit.
        public init(
            maxAccepted: Int64? = nil,
            minDaysSinceLast: Int64? = nil,
            acceptedFact: Fact? = nil,
            lastFact: Fact? = nil,
            allowsUnknown: Bool = false
        ) {
            self.maxAccepted = maxAccepted
            self.minDaysSinceLast = minDaysSinceLast
            self.acceptedFact = acceptedFact
            self.lastFact = lastFact
            self.allowsUnknown = allowsUnknown
        }
    }
}

/// How a plan of a year is paid. Apple's words.
public enum BillingPlanType: String, Sendable, Hashable, CaseIterable {
    /// At once.
    case billedUpfront = "BILLED_UPFRONT"
    /// By the month.
    case monthly = "MONTHLY"
}
