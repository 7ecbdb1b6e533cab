internal import Configuration
internal import Cryptography
internal import Decisions
internal import Loader
internal import OfferSigning
internal import SignedPayloads

extension Generation {
    /// Returns the verification policy of the configuration: the apps, their environments, and the anchors that vouch
    /// for them.
    ///
    /// - Throws: `anchors-damaged`; `anchors-unusable` for a certificate that cannot be read, which the loader would
    ///   have refused.
    func verificationPolicy() throws(AnchorError) -> VerificationPolicy {
        try configuration.verificationPolicy(anchors: manifest.anchors)
    }

    /// Returns the signer of each app that has a key, by `appAppleId`. An app whose key cannot be prepared has no
    /// signer.
    func offerSigners() -> [Int64: OfferSigner] {
        var signers: [Int64: OfferSigner] = [:]
        for app in configuration.apps {
            guard let key = signingKey(appAppleId: app.appAppleId), let reference = app.signingKey else {
                continue
            }
            signers[app.appAppleId] = try? OfferSigner(
                key: key, keyId: reference.keyId, issuerId: reference.issuerId, bundleId: app.bundleId,
                form: app.offerSignature, capabilities: app.advancedCommerce.capabilities)
        }
        return signers
    }
}
