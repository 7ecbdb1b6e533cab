/// Why the App Store does not sell the offer in an answer to Get Retention Message.
public enum OfferRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// The answer is not one that Apple documents.
    case malformedAnswer = "malformed-answer"
    /// The answer shows a message without a promotional offer.
    case noOffer = "no-offer"
    /// The message is unknown or not approved, or it has an image or bullet points, so the customer does not see it.
    case messageNotShown = "message-not-shown"
    /// The signature is not from a key of the team, or it is about something else.
    case badSignature = "bad-signature"
    /// The signature is for another app.
    case otherApp = "other-app"
    /// The signature is for another subscriber.
    case otherTransaction = "other-transaction"
    /// The signature is older than a day, or from the future.
    case expired
    /// The signature has been used before.
    case nonceUsed = "nonce-used"
    /// The offer is for a product that the customer does not have.
    case otherProduct = "other-product"
    /// The product has no such offer.
    case unknownOffer = "unknown-offer"

    /// What is wrong, in words.
    public var text: String {
        switch self {
        case .malformedAnswer: "the answer is not one that Apple documents"
        case .noOffer: "the answer has no promotional offer"
        case .messageNotShown:
            "Apple does not show the message: it is not known, not approved, or has an image or bullet points"
        case .badSignature: "no key of the team has signed this offer"
        case .otherApp: "the offer is signed for another app"
        case .otherTransaction: "the offer is signed for another subscriber"
        case .expired: "the signature is older than 24 hours, or its time lies ahead"
        case .nonceUsed: "the signature was used before"
        case .otherProduct: "the offer is for a product that this subscriber does not have"
        case .unknownOffer: "the product has no such offer; --offer of `appstore serve` names it"
        }
    }
}
