import AppStoreSimulator
import CertificateAuthority
import Cryptography
import SignedPayloads
import Support
import System
import Testing

@Suite("A signed payload")
struct IdentityTests {
    @Test(
        "is accepted only for a configured app and environment, in Sandbox and in Production",
        arguments: [
            (531_412, "Sandbox", nil), (531_412, "Production", nil), (531_413, "Sandbox", .appUnknown),
            (531_413, "Production", .appUnknown), (531_412, "Xcode", .environmentNotConfigured),
            (531_412, "LocalTesting", .environmentNotConfigured),
            (531_412, "sandbox", .environmentNotConfigured),
            (531_412, "Staging", .environmentNotConfigured), (531_413, "Xcode", .appUnknown),
            (-1, "Sandbox", .appUnknown), (Int64.min, "Sandbox", .appUnknown),
        ] as [(Int64, String, Refusal?)]
    )
    func identity(app: Int64, environment: String, refusal: Refusal?) throws {
        let payload = SignedBody.payload().with {
            $0.appAppleId = app
            $0.environment = environment
        }
        try PolicyCase.check(SignedBody.make(payload), refusal)
    }

    @Test(
        "is accepted only when signedDate is neither too old nor ahead",
        arguments: [
            (0, 300, nil), (300_000, 300, nil), (300_001, 300, .signedDateTooOld), (-60_000, 300, nil),
            (-60_001, 300, .signedDateAhead), (300_001, 0, nil), (TestPKI.now, 0, nil),
            (-60_001, 0, .signedDateAhead), (TestPKI.now, 300, .signedDateTooOld),
            (86_400_000_000_001, .max, .signedDateTooOld),
        ] as [(Int64, Int64, Refusal?)]
    )
    func age(milliseconds: Int64, limitSeconds: Int64, refusal: Refusal?) throws {
        let payload = SignedBody.payload(signedDate: TestPKI.now - milliseconds)
        let verifier = try PolicyCase.verifier { $0.maxSignedAgeSeconds = limitSeconds }
        try PolicyCase.check(SignedBody.make(payload), refusal, with: verifier)
    }

    @Test(
        "has its certificates' validity checked now",
        arguments: [
            (TestPKI.notAfter, TestPKI.notAfter, nil),
            (TestPKI.notAfter + 999, TestPKI.notAfter, nil),
            (TestPKI.notAfter + 1000, TestPKI.notAfter, .certificateExpired),
            (TestPKI.notBefore - 1, TestPKI.notBefore, .certificateNotYetValid),
            (TestPKI.notBefore, TestPKI.notBefore - 1, nil),
        ] as [(Int64, Int64, Refusal?)]
    )
    func validity(now: Int64, signedDate: Int64, refusal: Refusal?) throws {
        let verifier = try PolicyCase.verifier()
        let body = try SignedBody.make(SignedBody.payload(signedDate: signedDate))
        try PolicyCase.check(body, refusal, with: verifier, now: now)
    }

    @Test("is refused for expired certificates before its app, environment and age are checked")
    func order() throws {
        let chain = try TestPKI.chain(leaf: { $0.notAfterMilliseconds = TestPKI.now - 1_000 })
        let early = try TestPKI.chain(leaf: { $0.notBeforeMilliseconds = TestPKI.now + 1_000 })
        let wrong = SignedBody.payload(signedDate: 0).with {
            $0.appAppleId = 531_413
            $0.environment = "Xcode"
        }
        try PolicyCase.check(SignedBody.make(wrong, chain: chain), .certificateExpired)
        try PolicyCase.check(SignedBody.make(wrong, chain: early), .certificateNotYetValid)
        // Then the verifier checks the app, the app's anchors, the environment, and last the age.
        try PolicyCase.check(SignedBody.make(wrong), .appUnknown)
        let known = wrong.with { $0.appAppleId = SignedBody.appAppleId }
        let strict = AppIdentity(
            appAppleId: SignedBody.appAppleId, bundleId: "com.example.app", environments: [.sandbox],
            anchors: [try TestPKI.foreignChain().root.certificate()])
        let elsewhere = try PolicyCase.verifier { $0.apps = [strict] }
        try PolicyCase.check(SignedBody.make(known), .anchorNotForApp, with: elsewhere)
        try PolicyCase.check(SignedBody.make(known), .environmentNotConfigured)
        try PolicyCase.check(SignedBody.make(known.with { $0.environment = "Sandbox" }), .signedDateTooOld)
    }

    @Test("must come under the app's own anchors when the app names some")
    func anchors() throws {
        let foreign = try TestPKI.foreignChain()
        let foreignAnchor = try foreign.root.certificate()
        let own = AppIdentity(
            appAppleId: SignedBody.appAppleId, bundleId: "com.example.app", environments: [.sandbox],
            anchors: [foreignAnchor])
        let other = AppIdentity(appAppleId: 7, bundleId: "com.example.other", environments: [.sandbox])
        let verifier = try PolicyCase.verifier { $0.apps = [own, other] }
        let forOther = SignedBody.payload().with { $0.appAppleId = 7 }
        try PolicyCase.check(SignedBody.make(chain: foreign), nil, with: verifier)
        try PolicyCase.check(SignedBody.make(), .anchorNotForApp, with: verifier)
        try PolicyCase.check(SignedBody.make(forOther), nil, with: verifier)
        try PolicyCase.check(SignedBody.make(forOther, chain: foreign), .anchorNotForApp, with: verifier)
    }

    @Test(
        "is refused when a member is missing or has the wrong type",
        arguments: [
            ("originalTransactionId", nil, .payloadMemberMissing), ("appAppleId", nil, .payloadMemberMissing),
            ("productId", nil, .payloadMemberMissing), ("userLocale", nil, .payloadMemberMissing),
            ("requestIdentifier", nil, .payloadMemberMissing), ("environment", nil, .payloadMemberMissing),
            ("signedDate", nil, .payloadMemberMissing),
            ("originalTransactionId", "99371282", .payloadMemberMistyped),
            ("originalTransactionId", #""""#, .payloadMemberMistyped),
            ("appAppleId", #""531412""#, .payloadMemberMistyped),
            ("appAppleId", "531412.0", .payloadMemberMistyped),
            ("appAppleId", "true", .payloadMemberMistyped), ("appAppleId", "null", .payloadMemberMistyped),
            ("appAppleId", "5.31412e5", .payloadMemberMistyped),
            ("appAppleId", "9223372036854775808", .payloadNotJSON),
            ("productId", "null", .payloadMemberMistyped),
            ("userLocale", #"["en-US"]"#, .payloadMemberMistyped),
            ("environment", "1", .payloadMemberMistyped),
            ("signedDate", #""1780315200000""#, .payloadMemberMistyped),
            ("signedDate", "1780315200000.5", .payloadMemberMistyped),
            ("requestIdentifier", "1", .payloadMemberMistyped),
            ("requestIdentifier", #""not-a-uuid""#, .requestIdentifierNotUUID),
            ("requestIdentifier", #""3db5c98d8acf4e29831e8e1f82f9f6e9""#, .requestIdentifierNotUUID),
            ("requestIdentifier", #""3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9""#, nil),
        ] as [(String, String?, Refusal?)]
    )
    func members(name: String, json: String?, refusal: Refusal?) throws {
        let payload = SignedBody.payload().with { $0.overrides = [(name, json)] }
        try PolicyCase.check(SignedBody.make(payload), refusal)
    }
}
