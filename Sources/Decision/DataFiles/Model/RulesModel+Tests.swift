extension RulesModel {
    /// A test in a rules file: a request that the author wrote, and the decision that the author expects. The test is
    /// run as if the server could sign everything.
    public struct EmbeddedTest: Sendable, Hashable {
        /// The name of the test, for people.
        public var name: String
        /// The product to which the subscriber is subscribed.
        public var productId: String
        /// The locale of the subscriber's device.
        public var userLocale: String
        /// The subscriber's original transaction identifier.
        public var originalTransactionId: String
        /// The server's clock, milliseconds since 1970.
        public var nowMilliseconds: Int64
        /// The facts in the subscriber's record, without those that are missing; nil when there is no record.
        public var facts: [TestFact]?
        /// The age of the facts file in seconds; nil when there is no facts file.
        public var factsAgeSeconds: Int64?
        /// The decision that the author expects.
        public var expectation: Expectation

        /// Makes a test; by default it has neither a record of the subscriber nor a facts file.
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

    /// A fact of a test's subscriber.
    public struct TestFact: Sendable, Hashable {
        /// The fact, a declared one.
        public var fact: Fact
        /// The value of the fact, of the declared kind.
        public var value: FactValue

        public init(fact: Fact, value: FactValue) {
            self.fact = fact
            self.value = value
        }
    }

    /// The decision that a test expects. Whatever is nil or false here is not compared.
    public struct Expectation: Sendable, Hashable {
        /// The rule that should serve.
        public var rule: RuleExpectation?
        /// The name of the arm that should be taken.
        public var arm: String?
        /// The message that should be served, as its place in ``RulesModel/messages``.
        public var message: Int?
        /// The reason, as ``DecisionReason`` of Decisions spells it.
        public var reason: String?
        /// True when the decision should serve nothing.
        public var servesNothing: Bool

        /// Makes an expectation; by default it compares nothing.
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

    /// The rule that a test expects.
    public enum RuleExpectation: Sendable, Hashable {
        /// The rule at this place in ``RulesModel/rules``.
        case rule(Int)
        /// The default, which serves when no rule does.
        case `default`
        /// Neither a rule nor the default.
        case none
    }
}
