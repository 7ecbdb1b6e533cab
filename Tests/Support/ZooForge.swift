public import AppStoreTraffic
public import CertificateAuthority
internal import Cryptography

/// Makes the bodies of the zoo's rows from a trusted chain, chains with one fault, and the time.
public final class ZooForge: Sendable {
    /// A day in milliseconds.
    public static let day: Int64 = 86_400_000

    /// The time at which the rows are sent, milliseconds since 1970.
    public let now: Int64
    /// Signs as the App Store server does: this chain's root is the configured anchor.
    public let trusted: TestSigner
    /// Signs under the anchor of the app that has its own anchor.
    public let strict: TestSigner
    /// Signs under a well-formed chain whose root is not a configured anchor.
    public let foreign: TestSigner
    /// The recipes of the trusted chain.
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
                    notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter, name: name)
            )
        }
        trusted = try signer("")
        strict = try signer(" strict")
        foreign = try signer(" foreign")
    }

    // MARK: - Parts

    /// A sound payload, signed a second ago.
    public var payload: TestObject { TestPayload.request(signedDate: now - 1000) }

    /// Returns a changed intermediate that the trusted root has issued.
    public func intermediate(_ change: (inout CertificateRecipe) -> Void) throws -> IssuedCertificate {
        try CertificateAuthority.issue(recipes.intermediate.with(change), by: trusted.chain.root)
    }

    /// Returns a changed leaf that the trusted intermediate or `issuer` has issued.
    public func leaf(
        by issuer: IssuedCertificate? = nil,
        _ change: (inout CertificateRecipe) -> Void = { _ in }
    ) throws -> IssuedCertificate {
        try CertificateAuthority.issue(recipes.leaf.with(change), by: issuer ?? trusted.chain.intermediate)
    }

    // MARK: - Bodies

    /// Returns a body with a sound token of this payload.
    public func body(_ payload: TestObject) throws -> [UInt8] { try trusted.body(payload) }

    /// Returns a body with a correctly signed payload of any bytes.
    public func body(rawPayload: [UInt8]) throws -> [UInt8] {
        TestSigner.body(try trusted.token(rawPayload))
    }

    /// Returns a body with another header, signed by the trusted leaf.
    public func body(header: TestObject) throws -> [UInt8] {
        TestSigner.body(try trusted.token(payload.text, header: header))
    }

    /// Returns a body with a header of any bytes, signed by the trusted leaf.
    public func body(rawHeader: [UInt8]) throws -> [UInt8] {
        let input = TestSigner.signingInput(rawHeader, payload.text)
        return TestSigner.body(TestSigner.token(input, signature: try trusted.key.sign(input.span)))
    }

    /// Returns a body with these entries in `x5c`, signed by the trusted leaf.
    public func body(x5c: [String]) throws -> [UInt8] { try body(header: TestSigner.header(x5c: x5c)) }

    /// Returns a body signed by a changed leaf.
    public func body(leaf: IssuedCertificate) throws -> [UInt8] {
        try body(leaf: leaf, intermediate: trusted.chain.intermediate)
    }

    /// Returns a body with this leaf, this intermediate and the trusted root. The leaf's key signs it, or the trusted
    /// key when the leaf's key cannot sign.
    public func body(leaf: IssuedCertificate, intermediate: IssuedCertificate) throws -> [UInt8] {
        let header = TestSigner.header(x5c: [leaf.base64, intermediate.base64, trusted.chain.root.base64])
        let key = (try? leaf.key.signingKey()) ?? trusted.key
        let input = TestSigner.signingInput(header.text, payload.text)
        return TestSigner.body(TestSigner.token(input, signature: try key.sign(input.span)))
    }

    /// Returns a body signed by a good leaf under a changed intermediate.
    public func body(intermediate change: (inout CertificateRecipe) -> Void) throws -> [UInt8] {
        let issuer = try intermediate(change)
        return try body(leaf: leaf(by: issuer), intermediate: issuer)
    }

    /// Returns a body with a sound token whose signature `change` has replaced.
    public func body(signature change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        let input = TestSigner.signingInput(trusted.header.text, payload.text)
        let signature = try trusted.key.sign(input.span)
        return TestSigner.body(TestSigner.token(input, signature: change(signature)))
    }

    /// Returns a body with a sound token whose bytes `change` has replaced.
    public func body(token change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        TestSigner.body(change(try trusted.token(payload.text)))
    }

    /// Returns the three parts of a sound token. The caller changes them and joins them again.
    public func parts() throws -> [[UInt8]] {
        try trusted.token(payload.text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map(Array.init)
    }
}
