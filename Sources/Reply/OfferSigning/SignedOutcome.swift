public import DataFiles
public import Vocabulary

/// What is served to one subscriber, with its strings and with what was signed for it. Made once for a request; the
/// answer and the record of the decision are both made of it.
public struct SignedOutcome: Sendable, Hashable {
    /// The message, as Apple knows it.
    public let messageIdentifier: UUID
    /// What stands beside the message.
    public let content: Content

    /// What stands beside a message, by Apple's RealtimeResponseBody.
    public enum Content: Sendable, Hashable {
        /// Nothing: the message stands alone.
        case message
        /// Another product of the same group.
        case `switch`(productId: String, billingPlanType: BillingPlanType?)
        /// A promotional offer.
        case offer(PromotionalOffer, PromotionalOfferSignature)
        /// advancedCommerceData, base64.
        case advancedCommerce(String)
    }

    /// The signature of a promotional offer, in one form or the other: made for one request, never kept.
    public enum PromotionalOfferSignature: Sendable, Hashable {
        /// promotionalOfferSignatureV1
        case v1(PromotionalOfferSignatureV1)
        /// promotionalOfferSignatureV2: a compact JWS (RFC 7515 section 7.1).
        case v2(String)
    }

    /// Puts a message and what stands beside it together.
    public init(messageIdentifier: UUID, content: Content) {
        self.messageIdentifier = messageIdentifier
        self.content = content
    }

    /// Its kind in the rules.
    public var kind: OutcomeKind {
        switch content {
        case .message: .message
        case .switch: .switch
        case .offer: .offer
        case .advancedCommerce: .advancedCommerce
        }
    }
}
