public import AppStoreTraffic
public import CertificateAuthority
internal import Cryptography

/// What the rows of the zoo are made of: a trusted chain, chains with one thing wrong, and the time.
public final class ZooForge: Sendable {
    /// A day in milliseconds.
    public static let day: Int64 = 86_400_000

    /// The time at which the rows are sent, milliseconds since 1970.
    public let now: Int64
    /// Signs as the App Store server would: this chain's root is the configured anchor.
    public let trusted: TestSigner
    /// Signs under the anchor of the app that has its own.
    public let strict: TestSigner
    /// A well-made chain whose root nobody configured.
    public let foreign: TestSigner
    /// The sound recipes of `trusted`.
    public let recipes: AppleShapedRecipes

    /// Makes all keys and certificates.
    public init(now: Int64) throws {
        self.now = now
        let notBefore = now - 30 * Self.day
        let notAfter = now + 365 * Self.day
        recipes = AppleShapedRecipes(notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter)
        func signer(_ name: String) throws -> TestSigner {
            try TestSigner(
                AppleShapedChain.make(
                    notBeforeMilliseconds: notBefore,
                    notAfterMilliseconds: notAfter,
                    name: name
                )
            )
        }
        trusted = try signer("")
        strict = try signer(" strict")
        foreign = try signer(" foreign")
    }

    // MARK: - Parts

    /// A sound payload, signed a second ago.
    public var payload: TestObject { TestPayload.request(signedDate: now - 1000) }

    /// The trusted root's issue of a changed intermediate.
    public func intermediate(
        _ change: (inout CertificateRecipe) -> Void
    ) throws -> IssuedCertificate {
        try CertificateAuthority.issue(recipes.intermediate.with(change), by: trusted.chain.root)
    }

    /// The issue of a changed leaf by the trusted intermediate, or by another.
    public func leaf(
        by issuer: IssuedCertificate? = nil,
        _ change: (inout CertificateRecipe) -> Void = { _ in }
    ) throws -> IssuedCertificate {
        try CertificateAuthority.issue(recipes.leaf.with(change), by: issuer ?? trusted.chain.intermediate)
    }

    // MARK: - Bodies

    /// A body with a sound token over a payload.
    public func body(_ payload: TestObject) throws -> [UInt8] { try trusted.body(payload) }

    /// A body with a well-signed payload of any bytes.
    public func body(rawPayload: [UInt8]) throws -> [UInt8] {
        TestSigner.body(try trusted.token(rawPayload))
    }

    /// A body under another header, signed by the trusted leaf.
    public func body(header: TestObject) throws -> [UInt8] {
        TestSigner.body(try trusted.token(payload.text, header: header))
    }

    /// A body under a header of any bytes.
    public func body(rawHeader: [UInt8]) throws -> [UInt8] {
        let input = TestSigner.signingInput(rawHeader, payload.text)
        return TestSigner.body(TestSigner.token(input, signature: try trusted.key.sign(input.span)))
    }

    /// A body with these entries of `x5c`.
    public func body(x5c: [String]) throws -> [UInt8] { try body(header: TestSigner.header(x5c: x5c)) }

    /// A body signed by a changed leaf.
    public func body(leaf: IssuedCertificate) throws -> [UInt8] {
        try body(leaf: leaf, intermediate: trusted.chain.intermediate)
    }

    /// A body signed by a leaf under an intermediate under the trusted root, as far as the leaf's key can sign.
    public func body(leaf: IssuedCertificate, intermediate: IssuedCertificate) throws -> [UInt8] {
        let header = TestSigner.header(x5c: [
            leaf.base64, intermediate.base64, trusted.chain.root.base64,
        ])
        let key = (try? leaf.key.signingKey()) ?? trusted.key
        let input = TestSigner.signingInput(header.text, payload.text)
        return TestSigner.body(TestSigner.token(input, signature: try key.sign(input.span)))
    }

    /// A body signed by a good leaf under a changed intermediate.
    public func body(intermediate change: (inout CertificateRecipe) -> Void) throws -> [UInt8] {
        let issuer = try intermediate(change)
        return try body(leaf: leaf(by: issuer), intermediate: issuer)
    }

    /// A sound token whose signature is replaced by what `change` makes of it.
    public func body(signature change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        let input = TestSigner.signingInput(trusted.header.text, payload.text)
        let signature = try trusted.key.sign(input.span)
        return TestSigner.body(TestSigner.token(input, signature: change(signature)))
    }

    /// A sound token, changed as text.
    public func body(token change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        TestSigner.body(change(try trusted.token(payload.text)))
    }

    /// The three parts of a sound token, put together again by the caller.
    public func parts() throws -> [[UInt8]] {
        try trusted.token(payload.text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map(Array.init)
    }
}
