internal import System
public import Vocabulary

/// One answered request, for a person or a program that counts and compares decisions. Holds no subscriber's
/// identifier, no payload and no token.
///
/// A worker makes one for each request. It cannot be copied, because a copy retains each of its strings.
public struct DecisionRecord: ~Copyable, Sendable {
    /// The message that the App Store was told to show.
    public struct Served: Sendable, Hashable {
        /// The kind of the outcome: `message`, `switch`, `offer` or `advancedCommerce`.
        public var kind: String
        /// The name of the message in the rules.
        public var message: String?
        /// Apple's identifier of the message in the locale that was served.
        public var messageIdentifier: UUID
        /// The locale of that message. It may be a fallback and differ from the subscriber's locale.
        public var locale: String?
        /// The identifier of the promotional offer; nil when no offer was signed.
        public var offerIdentifier: String?

        /// Makes the entry for one message.
        public init(
            kind: String,
            message: String?,
            messageIdentifier: UUID,
            locale: String?,
            offerIdentifier: String? = nil
        ) {
            self.kind = kind
            self.message = message
            self.messageIdentifier = messageIdentifier
            self.locale = locale
            self.offerIdentifier = offerIdentifier
        }
    }

    /// The outcome that a subscriber who is held out or capped would have had.
    public struct Shadow: Sendable, Hashable {
        /// The reason, under the same names as a decision's reason.
        public var reason: String
        /// The rule that would have matched; nil when the default or nothing would have been served.
        public var rule: String?
        /// The arm of that rule; nil when the rule has no variants.
        public var arm: String?
        /// The name of the message; nil when nothing would have been served.
        public var message: String?
        /// For a subscriber who is held out: the rules that were drawn in the shadow and could not have been served.
        /// Nil for a subscriber who is capped, because those draws were real.
        public var assigned: [Assigned]?

        /// Makes a shadow.
        public init(
            reason: String,
            rule: String?,
            arm: String?,
            message: String?,
            assigned: [Assigned]? = nil
        ) {
            self.assigned = assigned
            self.reason = reason
            self.rule = rule
            self.arm = arm
            self.message = message
        }
    }

    /// A rule whose rollout or arm was drawn for the subscriber, and which then failed a later step.
    public struct Assigned: Sendable, Hashable {
        /// The identifier of the rule.
        public var rule: String?
        /// The arm that was drawn; nil when only a rollout was drawn.
        public var arm: String?
        /// The step that failed, under the name that `explain` uses.
        public var step: String

        /// Makes the entry for one rule.
        public init(rule: String?, arm: String?, step: String) {
            self.rule = rule
            self.arm = arm
            self.step = step
        }
    }

    /// The time of the decision, in milliseconds since 1970.
    public var timeMilliseconds: Int64
    /// The time at which Apple signed the request, in milliseconds since 1970 by Apple's clock.
    public var signedDateMilliseconds: Int64
    /// The identifier of the counters of the pool that decided, see ``SharedCounters/instance``.
    public var instance: String
    /// The number of this record in that instance.
    public var sequence: UInt64
    /// Apple's identifier of the request.
    public var requestIdentifier: UUID
    /// A pseudonym of the subscriber, see `SubscriberPseudonyms`.
    public var subscriber: String
    /// The App Store's number of the app.
    public var appAppleId: Int64
    /// The App Store environment: Production or Sandbox.
    public var environment: Environment
    /// The product the subscriber has.
    public var productId: String
    /// The subscriber's locale as Apple sent it.
    public var userLocale: String
    /// The rule that matched; nil when the default was served or no rule matched.
    public var rule: String?
    /// The arm of that rule; nil when the rule has no variants.
    public var arm: String?
    /// The name of the decision's reason.
    public var reason: String
    /// The rules that were drawn before the decision and could not be served, in the order of the rules.
    public var assigned: [Assigned] = []
    /// The outcome without the holdout or the cap; nil for a subscriber who is neither held out nor capped.
    public var shadow: Shadow?
    /// The message that was served; nil when the answer has no message.
    public var served: Served?
    /// The generation number of the rules file that decided.
    public var generation: Int64
    /// The duration of the verification of the request, in microseconds.
    public var verifyMicroseconds: UInt64
    /// The time from the accept of the request to this record, in microseconds.
    public var totalMicroseconds: UInt64

    /// Makes the record of a request for `productId`, with no rule, no message and durations of 0; the caller sets
    /// those.
    public init(
        timeMilliseconds: Int64,
        signedDateMilliseconds: Int64,
        instance: String,
        sequence: UInt64,
        requestIdentifier: UUID,
        subscriber: String,
        appAppleId: Int64,
        environment: Environment,
        productId: String,
        userLocale: String,
        reason: String,
        generation: Int64
    ) {
        self.timeMilliseconds = timeMilliseconds
        self.signedDateMilliseconds = signedDateMilliseconds
        self.instance = instance
        self.sequence = sequence
        self.requestIdentifier = requestIdentifier
        self.subscriber = subscriber
        self.appAppleId = appAppleId
        self.environment = environment
        self.productId = productId
        self.userLocale = userLocale
        self.reason = reason
        self.generation = generation
        verifyMicroseconds = 0
        totalMicroseconds = 0
    }
}
