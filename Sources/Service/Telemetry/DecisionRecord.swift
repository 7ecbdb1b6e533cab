internal import System
public import Vocabulary

/// What became of one answered request, for whoever counts and compares: no subscriber's identifier, no payload, no
/// token.
public struct DecisionRecord: Sendable, Hashable {
    /// What was shown.
    public struct Served: Sendable, Hashable {
        /// `message`, `switch`, `offer` or `advancedCommerce`.
        public var kind: String
        /// The name of the message in the rules.
        public var message: String?
        /// Apple's identifier of the message in the locale that was served.
        public var messageIdentifier: UUID
        /// The locale of that message, which may be one that stands in for the subscriber's.
        public var locale: String?
        /// The promotional offer, where one was signed.
        public var offerIdentifier: String?

        /// What was shown.
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

    /// What a subscriber who is held out or capped would have had.
    public struct Shadow: Sendable, Hashable {
        /// Why, in the words of a decision's reason.
        public var reason: String
        /// The rule; nil for the default and for nothing.
        public var rule: String?
        /// Its arm.
        public var arm: String?
        /// The name of the message; nil for nothing.
        public var message: String?
        /// For one who is held out what was drawn in the shadow and could not have been served; nil for one who is
        /// capped, whose draws were real.
        public var assigned: [Assigned]?

        /// What it would have been.
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

    /// A rule that was drawn for the subscriber and then failed.
    public struct Assigned: Sendable, Hashable {
        /// The rule.
        public var rule: String?
        /// The arm that was drawn; nil where only a rollout was.
        public var arm: String?
        /// The step that failed, as `explain` calls it.
        public var step: String

        /// What was drawn and what failed.
        public init(rule: String?, arm: String?, step: String) {
            self.rule = rule
            self.arm = arm
            self.step = step
        }
    }

    /// When it was decided, milliseconds since 1970.
    public var timeMilliseconds: Int64
    /// When Apple signed the request, milliseconds since 1970 by Apple's clock.
    public var signedDateMilliseconds: Int64
    /// The counters of the pool that decided, see ``SharedCounters/instance``.
    public var instance: String
    /// The number of this record in that instance.
    public var sequence: UInt64
    /// Apple's identifier of the request.
    public var requestIdentifier: UUID
    /// A pseudonym of the subscriber, see `SubscriberPseudonyms`.
    public var subscriber: String
    /// The App Store's number of the app.
    public var appAppleId: Int64
    /// Production, Sandbox.
    public var environment: Environment
    /// The product the subscriber has.
    public var productId: String
    /// The subscriber's locale as Apple sent it.
    public var userLocale: String
    /// The rule that matched; nil for the default and when none did.
    public var rule: String?
    /// Its arm, when it has variants.
    public var arm: String?
    /// Why: the name of a decision's reason.
    public var reason: String
    /// What was drawn before and could not be served, in the order of the rules.
    public var assigned: [Assigned] = []
    /// Only for who is held out or capped.
    public var shadow: Shadow?
    /// What was shown; nil for nothing of ours.
    public var served: Served?
    /// The generation number of the rules file that decided.
    public var generation: Int64
    /// Microseconds of the verification of the request.
    public var verifyMicroseconds: UInt64
    /// Microseconds from accepting the request to this record.
    public var totalMicroseconds: UInt64

    /// A record of a request for `productId`, of which nothing is decided yet.
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
