internal import DataFiles

/// A promotional offer of App Store Connect, made to one subscriber.
public struct PromotionalOffer: Sendable, Hashable {
    public let productId: String
    /// The offer's identifier in App Store Connect.
    public let offerIdentifier: String

    /// Names an offer by its product and its identifier.
    public init(productId: String, offerIdentifier: String) {
        self.productId = productId
        self.offerIdentifier = offerIdentifier
    }

    init(_ productId: FileString, _ offerIdentifier: FileString, in file: RulesFile) {
        self.init(productId: file.text(at: productId), offerIdentifier: file.text(at: offerIdentifier))
    }
}
