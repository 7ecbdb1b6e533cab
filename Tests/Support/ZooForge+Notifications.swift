public import AppStoreTraffic
internal import Cryptography
internal import Testing
internal import Vocabulary

/// The app for which the rows of the zoo are made, in Production.
extension TestPayload {
    /// The bundle identifier of ``appAppleId``.
    public static let bundleId = "com.example.app"
    /// The bundle identifier of ``strictAppAppleId``.
    public static let strictBundleId = "com.example.strict"
}

extension ZooForge {
    /// A subscription of the configured app in its first period.
    public var subscription: SubscriptionSample {
        SubscriptionSample(
            appAppleId: TestPayload.appAppleId, bundleId: TestPayload.bundleId, environment: .production,
            purchaseDate: now - 5000)
    }

    /// Returns a sound notification of a documented kind, signed a second ago. `number` is part of its UUID.
    public func notification(
        _ type: String = "SUBSCRIBED", _ subtype: String? = "INITIAL_BUY",
        of sample: SubscriptionSample? = nil, number: UInt64 = 1, signedAt: Int64? = nil
    ) throws -> NotificationPayload {
        NotificationPayload(
            try #require(NotificationKind(type, subtype)), of: sample ?? subscription,
            uuid: UUID(high: 0x3db5_c98d_8acf_4e29, low: 0x831e_0000_0000_0000 | number),
            signedDate: signedAt ?? now - 1000)
    }

    /// Returns the body of a notification, signed by the trusted leaf.
    public func body(_ notification: NotificationPayload) throws -> [UInt8] {
        try SignedRequestBuilder(chain: trusted.chain).body(notification)
    }

    /// Returns the body of a sound notification that `change` has changed, signed by the trusted leaf.
    public func notification(_ change: (inout NotificationPayload) throws -> Void) throws -> [UInt8] {
        var payload = try notification()
        try change(&payload)
        return try body(payload)
    }

    /// Returns a body with a correctly signed notification of any bytes.
    public func notification(raw payload: [UInt8]) throws -> [UInt8] { try body(rawPayload: payload) }

    /// Returns the text of a part, signed by the leaf of `signer`.
    public func part(_ payload: PayloadMembers, by signer: TestSigner? = nil) throws -> String {
        String(decoding: try (signer ?? trusted).token(payload.json), as: UTF8.self)
    }
}
