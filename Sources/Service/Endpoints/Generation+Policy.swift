internal import Configuration
internal import Cryptography
internal import Decisions
internal import Loader
internal import OfferSigning
internal import SignedPayloads

extension Generation {
    /// Who may vouch for whom, as the configuration says it.
    ///
    /// - Throws: `anchors-damaged`; `anchors-unusable` for a certificate that cannot be read, which the loader would have
    ///   refused.
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

    /// Who signs for an app that has a key, by the app's number. One whose key cannot be prepared has none.
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
