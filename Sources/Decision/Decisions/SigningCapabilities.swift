/// What can be signed for the app of a request: without it an outcome that needs it is passed over.
public struct SigningCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Promotional offers.
    public static let offers = SigningCapabilities(rawValue: 1)
    /// Requests of the Advanced Commerce API.
    public static let advancedCommerce = SigningCapabilities(rawValue: 2)
    /// Everything.
    public static let all: SigningCapabilities = [.offers, .advancedCommerce]
}
