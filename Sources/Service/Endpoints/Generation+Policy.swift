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
        let shared =
            configuration.anchors.isEmpty
            ? try AppleRoots.certificates() : try certificates(at: configuration.anchors)
        var apps: [AppIdentity] = []
        for app in configuration.apps {
            apps.append(
                AppIdentity(
                    appAppleId: app.appAppleId,
                    bundleId: app.bundleId,
                    environments: Set(app.environments),
                    anchors: app.anchors.isEmpty ? nil : try certificates(at: app.anchors)
                )
            )
        }
        return VerificationPolicy(
            anchors: shared,
            apps: apps,
            validityTime: configuration.validityTime,
            maxSignedAgeSeconds: configuration.maxSignedAgeSeconds
        )
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
                key: key,
                keyId: reference.keyId,
                issuerId: reference.issuerId,
                bundleId: app.bundleId,
                form: app.offerSignature,
                capabilities: app.advancedCommerce.capabilities
            )
        }
        return signers
    }

    private func certificates(at paths: [String]) throws(AnchorError) -> [Certificate] {
        var certificates: [Certificate] = []
        for der in anchors(at: paths) {
            guard let certificate = try? Certificate(der: der.span) else { throw .unusable }
            certificates.append(certificate)
        }
        return certificates
    }
}
