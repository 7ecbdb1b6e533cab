extension RulesModel {
    /// A request that the author wrote down with what should come of it. Signing is taken for possible.
    public struct EmbeddedTest: Sendable, Hashable {
        /// Its name, for people.
        public var name: String
        /// The product the subscriber is on.
        public var productId: String
        /// The locale of the subscriber's device.
        public var userLocale: String
        /// The subscriber.
        public var originalTransactionId: String
        /// The server's clock, milliseconds since 1970.
        public var nowMilliseconds: Int64
        /// The subscriber's record, without facts that are missing from it; nil when there is no record.
        public var facts: [TestFact]?
        /// How old the facts file is; nil when there is none.
        public var factsAgeSeconds: Int64?
        /// What should come of it.
        public var expectation: Expectation

        /// Makes one without a record of the subscriber.
        public init(
            name: String,
            productId: String,
            userLocale: String,
            originalTransactionId: String,
            nowMilliseconds: Int64,
            facts: [TestFact]? = nil,
            factsAgeSeconds: Int64? = nil,
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

    /// One fact of a test's subscriber.
    public struct TestFact: Sendable, Hashable {
        /// A declared fact.
        public var fact: Fact
        /// Its value, of the declared kind.
        public var value: FactValue

        /// Makes one.
        public init(fact: Fact, value: FactValue) {
            self.fact = fact
            self.value = value
        }
    }

    /// What should come of a test; what is nil or false is not looked at.
    public struct Expectation: Sendable, Hashable {
        /// Which rule should be the one that serves.
        public var rule: RuleExpectation?
        /// The name of the arm that should be taken.
        public var arm: String?
        /// The message that should be served, as its place in ``RulesModel/messages``.
        public var message: Int?
        /// The reason, as ``DecisionReason`` of Decisions spells it.
        public var reason: String?
        /// Whether nothing should be served.
        public var servesNothing: Bool

        /// Expects nothing unless told.
        public init(
            rule: RuleExpectation? = nil,
            arm: String? = nil,
            message: Int? = nil,
            reason: String? = nil,
            servesNothing: Bool = false
        ) {
            self.rule = rule
            self.arm = arm
            self.message = message
            self.reason = reason
            self.servesNothing = servesNothing
        }
    }

    /// The rule that a test expects.
    public enum RuleExpectation: Sendable, Hashable {
        /// The rule at this place in ``RulesModel/rules``.
        case rule(Int)
        /// No rule, but the default.
        case `default`
        /// Neither a rule nor the default.
        case none
    }
}
