internal import AppStoreTraffic
internal import CertificateAuthority
public import SignedPayloads
internal import Vocabulary

extension ZooForge {
    /// Returns a verifier that is configured for the rows of the zoos: an app with the anchor of the policy, and one with an
    /// anchor of its own.
    public func verifier() throws -> SignedPayloadVerifier {
        try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: [trusted.chain.root.certificate()],
                apps: [
                    AppIdentity(
                        appAppleId: TestPayload.appAppleId, bundleId: TestPayload.bundleId,
                        environments: [.production, .sandbox]),
                    AppIdentity(
                        appAppleId: TestPayload.strictAppAppleId, bundleId: TestPayload.strictBundleId,
                        environments: [.production], anchors: [strict.chain.root.certificate()]),
                ]
            )
        )
    }
}
