public import Cryptography
public import Decisions

/// Signs what an app's decisions need signed: promotional offers and requests of the Advanced Commerce API. Every
/// signature is made for one request, with a nonce of its own; none is kept. Belongs to one thread.
public struct OfferSigner {
    /// What is signed for the app. Advanced Commerce only for one who has asked for it: the form of its data is not
    /// established by Apple's documentation.
    public let capabilities: SigningCapabilities
    /// The form of the signatures of promotional offers.
    public let form: OfferSignature
    let key: ES256Signer
    let keyId: String
    let issuerId: String
    let bundleId: String
    /// The encoded header of every JWS: `{"alg":"ES256","kid":…,"typ":"JWT"}`.
    let encodedHeader: [UInt8]

    /// Signs with an In-App Purchase key of App Store Connect.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - keyId: its identifier in App Store Connect.
    ///   - issuerId: the issuer of the keys page; only V2 and Advanced Commerce have it in their claims.
    ///   - bundleId: the app.
    ///   - form: that of the signatures of promotional offers.
    ///   - capabilities: what is signed.
    /// - Throws: `cryptography.openssl-failure`.
    public init(
        key: SigningKey,
        keyId: String,
        issuerId: String,
        bundleId: String,
        form: OfferSignature = .v2,
        capabilities: SigningCapabilities = .offers
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
