internal import AppStoreTraffic
public import SignedPayloads
internal import Vocabulary

extension SignedBody {
    /// Returns a payload that a verifier has verified, for tests that need the proof of that and not the content.
    public static func verified() throws -> VerifiedPayload<RealtimeRequest> {
        let app = AppIdentity(appAppleId: appAppleId, bundleId: "com.example.app", environments: [.sandbox])
        let policy = VerificationPolicy(anchors: [try TestPKI.anchor()], apps: [app])
        let body = try make()
        return try SignedPayloadVerifier(policy: policy)
            .verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now)
    }
}
