public import OfferSigning
public import Vocabulary

/// One entry of `apps`: an app whose requests the service answers.
public struct AppConfiguration: Sendable, Hashable {
    /// `appAppleId`: the App Store's number of the app, at least 1.
    public var appAppleId: Int64
    /// `bundleId`: the bundle ID in the app's Info.plist.
    public var bundleId: String
    /// `environments`: the environments in which the service answers for this app, in the order of the file. Never
    /// empty and never `Xcode`. `LocalTesting` must be the only environment, and the app must then have `anchors` of
    /// its own.
    public var environments: [Environment]
    /// `anchors`: paths of PEM files whose certificates replace the configured or built-in roots for this app. Empty:
    /// the app uses those roots.
    public var anchors: [String] = []
    /// `offerSignature`: the form of the signatures that the service makes for promotional offers.
    public var offerSignature = OfferSignature.v2
    /// `signingKeys`: the app's In-App Purchase keys of App Store Connect.
    public var signingKeys: [SigningKeyReference] = []
    /// `signingKeyId`: the `keyId` of the key that signs. Nil: the app has at most one key, and that key signs.
    public var signingKeyId: String?

    /// `advancedCommerce`: whether the service signs requests of the Advanced Commerce API, and in which form.
    public var advancedCommerce = AdvancedCommerceForm.signatureInfo

    /// True when the service signs Advanced Commerce requests for this app.
    public var signsAdvancedCommerce: Bool { advancedCommerce != .off }

    /// The entry of `signingKeys` that signs, or nil when the app has no key.
    public var signingKey: SigningKeyReference? {
        signingKeyId.map { id in signingKeys.first { $0.keyId == id } } ?? signingKeys.first
    }

    /// Creates an app with these values. Every other setting has its default.
    public init(appAppleId: Int64, bundleId: String, environments: [Environment]) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environments = environments
    }
}
