package import AppStoreSimulator
internal import Cryptography
package import SignedPayloads
package import System

/// Signed requests for tests, under the sound chain of ``TestPKI`` unless the test passes another chain.
package enum SignedBody {
    package static let appAppleId: Int64 = 531_412
    package static let productId = "com.example.product"

    /// Returns a sound payload, signed now. `number` is part of the request identifier, so that payloads with different
    /// numbers differ.
    package static func payload(
        environment: Environment = .sandbox, number: UInt64 = 1, signedDate: Int64 = TestPKI.now
    ) -> RequestPayload {
        RequestPayload(
            appAppleId: appAppleId, productId: productId, environment: environment,
            requestIdentifier: UUID(high: 0x3db5_c98d_8acf_4e29, low: 0x831e_0000_0000_0000 | number),
            signedDate: signedDate)
    }

    package static func make(_ payload: RequestPayload = payload(), chain: AppleShapedChain? = nil) throws
        -> [UInt8]
    {
        try SignedRequestBuilder(chain: chain ?? TestPKI.chain()).body(payload)
    }

    package static func compact(_ payload: RequestPayload = payload(), chain: AppleShapedChain? = nil) throws
        -> [UInt8]
    {
        try SignedRequestBuilder(chain: chain ?? TestPKI.chain()).compact(payload.json)
    }
}

extension SignedBody {
    package static func verified() throws -> VerifiedPayload<RealtimeRequest> {
        let app = AppIdentity(appAppleId: appAppleId, bundleId: "com.example.app", environments: [.sandbox])
        let policy = VerificationPolicy(anchors: [try TestPKI.anchor()], apps: [app])
        let body = try make()
        return try SignedPayloadVerifier(policy: policy)
            .verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now)
    }
}

extension ReceivedJWS {
    /// Takes a JWS in compact form apart, as the verifier does.
    package init(compact: [UInt8]) {
        let dot = UInt8(ascii: ".")
        let first = ByteComparison.firstIndex(of: dot, in: compact.span, from: 0) ?? compact.count
        let second = ByteComparison.firstIndex(of: dot, in: compact.span, from: first + 1) ?? compact.count
        let payload = Base64URL.decode(compact.span.extracting(first + 1..<second))
        let signature = Base64URL.decode(compact.span.extracting(second + 1..<compact.count))
        self.init(header: Array(compact[..<first]), payload: payload ?? [], signature: signature ?? [])
    }
}

/// Payloads that a test changes in a copy.
package protocol ChangedInCopies {}

extension ChangedInCopies {
    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension RequestPayload: ChangedInCopies {}

extension NotificationPayload: ChangedInCopies {}

extension PayloadMembers: ChangedInCopies {}
