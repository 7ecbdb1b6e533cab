package import AppStoreSimulator
package import CertificateAuthority
internal import Cryptography
package import SignedPayloads
internal import System
internal import Testing

package final class ZooForge: Sendable {
    /// A day in milliseconds.
    package static let day: Int64 = 86_400_000

    /// The time at which the rows are sent, milliseconds since 1970.
    package let now: Int64
    package let trusted: TestSigner
    package let strict: TestSigner
    package let foreign: TestSigner
    package let recipes: AppleShapedRecipes

    package init(now: Int64) throws {
        self.now = now
        let notBefore = now - 30 * Self.day
        let notAfter = now + 365 * Self.day
        recipes = AppleShapedRecipes(notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter)
        func signer(_ name: String) throws -> TestSigner {
            try TestSigner(
                AppleShapedChain.make(
                    notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter, name: name)
            )
        }
        trusted = try signer("")
        strict = try signer(" strict")
        foreign = try signer(" foreign")
    }

    // MARK: - Parts

    package var payload: TestObject { TestPayload.request(signedDate: now - 1000) }

    package func intermediate(_ change: (inout CertificateRecipe) -> Void) throws -> IssuedCertificate {
        try CertificateAuthority.issue(recipes.intermediate.with(change), by: trusted.chain.root)
    }

    package func leaf(
        by issuer: IssuedCertificate? = nil,
        _ change: (inout CertificateRecipe) -> Void = { _ in }
    ) throws -> IssuedCertificate {
        try CertificateAuthority.issue(recipes.leaf.with(change), by: issuer ?? trusted.chain.intermediate)
    }

    // MARK: - Bodies

    package func body(_ payload: TestObject) throws -> [UInt8] { try trusted.body(payload) }

    package func body(rawPayload: [UInt8]) throws -> [UInt8] {
        TestSigner.body(try trusted.token(rawPayload))
    }

    package func body(header: TestObject) throws -> [UInt8] {
        TestSigner.body(try trusted.token(payload.text, header: header))
    }

    package func body(rawHeader: [UInt8]) throws -> [UInt8] {
        let input = TestSigner.signingInput(rawHeader, payload.text)
        return TestSigner.body(TestSigner.token(input, signature: try trusted.key.sign(input.span)))
    }

    package func body(x5c: [String]) throws -> [UInt8] { try body(header: TestSigner.header(x5c: x5c)) }

    package func body(leaf: IssuedCertificate) throws -> [UInt8] {
        try body(leaf: leaf, intermediate: trusted.chain.intermediate)
    }

    /// Returns a body with this leaf, this intermediate and the trusted root. The leaf's key signs it, or the trusted
    /// key when the leaf's key cannot sign.
    package func body(leaf: IssuedCertificate, intermediate: IssuedCertificate) throws -> [UInt8] {
        let header = TestSigner.header(x5c: [leaf.base64, intermediate.base64, trusted.chain.root.base64])
        let key = (try? leaf.key.signingKey()) ?? trusted.key
        let input = TestSigner.signingInput(header.text, payload.text)
        return TestSigner.body(TestSigner.token(input, signature: try key.sign(input.span)))
    }

    package func body(intermediate change: (inout CertificateRecipe) -> Void) throws -> [UInt8] {
        let issuer = try intermediate(change)
        return try body(leaf: leaf(by: issuer), intermediate: issuer)
    }

    package func body(signature change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        let input = TestSigner.signingInput(trusted.header.text, payload.text)
        let signature = try trusted.key.sign(input.span)
        return TestSigner.body(TestSigner.token(input, signature: change(signature)))
    }

    package func body(token change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        TestSigner.body(change(try trusted.token(payload.text)))
    }

    package func parts() throws -> [[UInt8]] {
        try trusted.token(payload.text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map(Array.init)
    }
}

extension TestPayload {
    package static let bundleId = "com.example.app"
    package static let strictBundleId = "com.example.strict"
}

extension ZooForge {
    package var subscription: SubscriptionSample {
        SubscriptionSample(
            appAppleId: TestPayload.appAppleId, bundleId: TestPayload.bundleId, environment: .production,
            purchaseDate: now - 5000)
    }

    package func notification(
        _ type: String = "SUBSCRIBED", _ subtype: String? = "INITIAL_BUY",
        of sample: SubscriptionSample? = nil, number: UInt64 = 1, signedAt: Int64? = nil
    ) throws -> NotificationPayload {
        NotificationPayload(
            try #require(NotificationKind(type, subtype)), of: sample ?? subscription,
            uuid: UUID(high: 0x3db5_c98d_8acf_4e29, low: 0x831e_0000_0000_0000 | number),
            signedDate: signedAt ?? now - 1000)
    }

    package func body(_ notification: NotificationPayload) throws -> [UInt8] {
        try SignedRequestBuilder(chain: trusted.chain).body(notification)
    }

    package func notification(_ change: (inout NotificationPayload) throws -> Void) throws -> [UInt8] {
        var payload = try notification()
        try change(&payload)
        return try body(payload)
    }

    package func notification(raw payload: [UInt8]) throws -> [UInt8] { try body(rawPayload: payload) }

    package func part(_ payload: PayloadMembers, by signer: TestSigner? = nil) throws -> String {
        String(decoding: try (signer ?? trusted).token(payload.json), as: UTF8.self)
    }
}

extension ZooForge {
    /// Returns a verifier that is configured for the rows of the zoos: an app with the anchor of the policy, and one with an
    /// anchor of its own.
    package func verifier() throws -> SignedPayloadVerifier {
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
