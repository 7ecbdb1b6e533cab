public import OfferSigning
public import Vocabulary

/// One entry of `apps`: an app whose requests are answered.
public struct AppConfiguration: Sendable, Hashable {
    /// `appAppleId`: the App Store's number of the app, at least 1.
    public var appAppleId: Int64
    /// `bundleId`: as in the app's Info.plist.
    public var bundleId: String
    /// `environments`: those served, in the file's order; never empty, never `Xcode`, and `LocalTesting` only
    /// alone and with anchors of its own.
    public var environments: [Environment]
    /// `anchors`: PEM files that replace the configured or built-in roots for this app; empty means those.
    public var anchors: [String] = []
    /// `offerSignature`: the signature made for promotional offers.
    public var offerSignature = OfferSignature.v2
    /// `signingKeys`: In-App Purchase keys of App Store Connect.
    public var signingKeys: [SigningKeyReference] = []
    /// `signingKeyId`: the `keyId` of the key that signs; nil means the only one.
    public var signingKeyId: String?

    /// `advancedCommerce`: whether requests of the Advanced Commerce API are signed, and in which form.
    public var advancedCommerce = AdvancedCommerceForm.off

    /// Whether they are signed at all.
    public var signsAdvancedCommerce: Bool { advancedCommerce != .off }

    /// The entry of `signingKeys` that signs; nil when there is none.
    public var signingKey: SigningKeyReference? {
        signingKeyId.map { id in signingKeys.first { $0.keyId == id } } ?? signingKeys.first
    }

    /// An app with the defaults.
    public init(appAppleId: Int64, bundleId: String, environments: [Environment]) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environments = environments
    }
}
