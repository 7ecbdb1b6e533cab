/// The first decision about a subscriber of those with the same rules file and the same draws. Later ones say nothing new: an
/// experiment counts a subscriber once, at the first draw.
package struct StoredDecision: Sendable, Hashable {
    /// Pseudonym, 32 hexadecimal digits.
    package let subscriber: String
    /// `signedDate` of the request, milliseconds since 1970-01-01 UTC.
    package let signedAt: Int64
    package let requestIdentifier: String
    /// The rules file, by its SHA-256.
    package let digest: String
    package let draws: DecisionDraws
    package let product: String
    /// The kind of answer: `none`, `message`, `switch`, `offer`, `advancedCommerce`.
    package let served: String

    package init(
        subscriber: String, signedAt: Int64, requestIdentifier: String, digest: String, draws: DecisionDraws,
        product: String, served: String
    ) {
        (self.subscriber, self.signedAt, self.requestIdentifier) = (subscriber, signedAt, requestIdentifier)
        (self.digest, self.draws, self.product, self.served) = (digest, draws, product, served)
    }
}

/// What was drawn for a request, as its decision record says.
package struct DecisionDraws: Sendable, Hashable {
    package struct Draw: Sendable, Hashable {
        package let rule: String
        package let arm: String?
        /// The step that failed; nil: the rule served.
        package let step: String?

        package init(rule: String, arm: String?, step: String?) {
            (self.rule, self.arm, self.step) = (rule, arm, step)
        }
    }

    package let isHeldOut: Bool
    /// False when the switch of the rules file was off for everybody (`KILL_SWITCH`): then nothing was drawn.
    package let isDrawn: Bool
    package let rules: [Draw]

    package init(isHeldOut: Bool, isDrawn: Bool, rules: [Draw]) {
        (self.isHeldOut, self.isDrawn, self.rules) = (isHeldOut, isDrawn, rules)
    }
}
