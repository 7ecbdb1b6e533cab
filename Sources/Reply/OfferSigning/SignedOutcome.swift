public import DataFiles
public import Decisions
public import Vocabulary

/// What is served to one subscriber, with its strings and its signatures. It is made once for a request; the answer and
/// the decision record are both made from it.
public struct SignedOutcome: Sendable, Hashable {
    /// Apple's identifier of the message.
    public let messageIdentifier: UUID
    /// What is shown beside the message.
    public let content: Content

    /// What is shown beside a message, as in Apple's RealtimeResponseBody.
    public enum Content: Sendable, Hashable {
        /// Nothing: the message stands alone.
        case message
        /// Another product of the same subscription group.
        case `switch`(productId: String, billingPlanType: BillingPlanType?)
        case offer(PromotionalOffer, PromotionalOfferSignature)
        /// The advancedCommerceData, in base64.
        case advancedCommerce(String)
    }

    /// The signature of a promotional offer in one of the two forms. It is made for one request and never stored.
    public enum PromotionalOfferSignature: Sendable, Hashable {
        /// The first form, promotionalOfferSignatureV1.
        case v1(PromotionalOfferSignatureV1)
        /// The second form, promotionalOfferSignatureV2: a compact JWS (RFC 7515 section 7.1).
        case v2(String)
    }

    public init(messageIdentifier: UUID, content: Content) {
        self.messageIdentifier = messageIdentifier
        self.content = content
    }

    /// Makes the outcome to serve from an outcome that needs no signature; nil for `nothing` and for an outcome that
    /// needs a signature.
    public init?(unsigned outcome: Decision.Outcome, in file: RulesFile) {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message: self.init(messageIdentifier: identifier, content: .message)
        case .switch(let productId, let plan):
            self.init(
                messageIdentifier: identifier,
                content: .switch(productId: file.text(at: productId), billingPlanType: plan))
        case .offer, .advancedCommerce: return nil
        }
    }

    /// The kind that the outcome has in the rules.
    public var kind: OutcomeKind {
        switch content {
        case .message: .message
        case .switch: .switch
        case .offer: .offer
        case .advancedCommerce: .advancedCommerce
        }
    }
}
