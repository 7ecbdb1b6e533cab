public import AppStoreTraffic
internal import Cryptography
public import Vocabulary

/// Signed requests for tests, under the sound chain of ``TestPKI`` unless the test passes another chain.
public enum SignedBody {
    /// The app that tests ask about.
    public static let appAppleId: Int64 = 531_412
    /// The product that tests ask about.
    public static let productId = "com.example.product"

    /// Returns a sound payload, signed now. `number` is part of the request identifier, so that payloads with different
    /// numbers differ.
    public static func payload(
        environment: Environment = .sandbox, number: UInt64 = 1, signedDate: Int64 = TestPKI.now
    ) -> RequestPayload {
        RequestPayload(
            appAppleId: appAppleId, productId: productId, environment: environment,
            requestIdentifier: UUID(high: 0x3db5_c98d_8acf_4e29, low: 0x831e_0000_0000_0000 | number),
            signedDate: signedDate)
    }

    /// Returns the body `{"signedPayload":"…"}` of `payload`, signed by the leaf of `chain`.
    public static func make(_ payload: RequestPayload = payload(), chain: AppleShapedChain? = nil) throws
        -> [UInt8]
    {
        try SignedRequestBuilder(chain: chain ?? TestPKI.chain()).body(payload)
    }

    /// Returns the JWS of `payload`, signed by the leaf of `chain`.
    public static func compact(_ payload: RequestPayload = payload(), chain: AppleShapedChain? = nil) throws
        -> [UInt8]
    {
        try SignedRequestBuilder(chain: chain ?? TestPKI.chain()).compact(payload.json)
    }
}
