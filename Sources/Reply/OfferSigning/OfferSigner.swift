public import Cryptography
public import Decisions
internal import TokenSigning

/// Signs what the decisions for one app need: promotional offers and requests of the Advanced Commerce API. Each
/// signature is made for one request, with its own nonce, and is never stored. A signer belongs to one thread.
///
///     let signer = try OfferSigner(
///         key: SigningKeyFile.key(path: "/etc/retentiond/SubscriptionKey_ABC123DEFG.p8"),
///         keyId: "ABC123DEFG",
///         issuerId: "57246542-96fe-1a63-e053-0824d011072a",
///         bundleId: "com.example.app"
///     )
///     let offer = PromotionalOffer(productId: "pro_monthly", offerIdentifier: "save50_3m")
///     let context = try OfferSigner.SigningContext(transactionId: "2000000001", nowMilliseconds: 1_795_219_200_000)
///     let token = try signer.signatureV2(of: offer, on: context)
public struct OfferSigner {
    /// What the service signs for the app: promotional offers and, unless the operator switches them off, requests of
    /// the Advanced Commerce API.
    public let capabilities: SigningCapabilities
    /// The form of the signatures of promotional offers.
    public let form: OfferSignature
    let key: ES256Signer
    let keyId: String
    let issuerId: String
    let bundleId: String
    /// The encoded header of every JWS: `{"alg":"ES256","kid":…,"typ":"JWT"}`.
    let encodedHeader: [UInt8]

    /// Makes a signer with an In-App Purchase key of App Store Connect.
    ///
    /// - Parameters:
    ///   - key: the private key.
    ///   - keyId: the identifier of the key in App Store Connect.
    ///   - issuerId: the issuer on the keys page of App Store Connect. Only V2 and Advanced Commerce claims contain it.
    ///   - bundleId: the bundle identifier of the app.
    ///   - form: the form of the signatures of promotional offers.
    ///   - capabilities: what the signer signs.
    /// - Throws: `cryptography.openssl-failure`.
    public init(
        key: SigningKey, keyId: String, issuerId: String, bundleId: String, form: OfferSignature = .v2,
        capabilities: SigningCapabilities = .all
    ) throws(CryptographyError) {
        self.key = try ES256Signer(key)
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.form = form
        self.capabilities = capabilities
        encodedHeader = JWSSigning.encodedHeader(keyId: keyId)
    }
}
