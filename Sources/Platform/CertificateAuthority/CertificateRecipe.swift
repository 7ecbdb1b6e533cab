/// The contents of a certificate to be made, right or wrong. The default is a valid end-entity certificate; a test changes
/// one property to make a bad certificate.
public struct CertificateRecipe: Sendable {
    /// The way in which a key identifier is chosen.
    public enum KeyIdentifier: Sendable, Hashable {
        /// The right identifier, derived from the key.
        case derived
        /// The certificate does not have the extension.
        case absent
        /// These bytes, which may be wrong.
        case bytes([UInt8])
    }

    /// The kind of the new key. Not used when ``key`` is set.
    public var algorithm = PrivateKey.Algorithm.p256
    /// The subject's key; nil to make a new key.
    public var key: PrivateKey?
    /// The subject's name.
    public var subject: DistinguishedName
    /// The issuer's name in the certificate; nil for the real issuer's name.
    public var issuerName: DistinguishedName?
    public var digest = SignatureDigest.sha384
    /// The digest named inside the signed part; nil for the same as ``digest``.
    public var innerDigest: SignatureDigest?
    /// The key that signs; nil for the issuer's key.
    public var signer: PrivateKey?
    /// True when one bit of the finished signature is flipped.
    public var hasDamagedSignature = false
    /// The version, 1 or 3. Any other number is written as it is.
    public var version: Int64 = 3
    /// The serial number in two's complement, most significant byte first; empty for 16 random bytes.
    public var serial: [UInt8] = []
    /// The first valid moment, milliseconds since 1970.
    public var notBeforeMilliseconds: Int64
    /// The last valid moment, milliseconds since 1970.
    public var notAfterMilliseconds: Int64
    /// True when basicConstraints says that the subject is a certificate authority; nil for no basicConstraints.
    public var isCA: Bool? = false
    /// The number of intermediate authorities that may follow below; nil for any number.
    public var pathLength: Int64?
    public var basicConstraintsIsCritical = true
    /// The bits of keyUsage; nil for no keyUsage.
    public var keyUsage: KeyUsage? = .digitalSignature
    public var keyUsageIsCritical = true
    /// The purposes in extendedKeyUsage, as dotted identifiers; empty for no extendedKeyUsage.
    public var extendedKeyUsage: [String] = []
    /// The dotted identifiers of Apple's markers: extensions whose value is NULL.
    public var markers: [String] = []
    /// The choice of subjectKeyIdentifier, derived from the subject's key by default.
    public var subjectKeyIdentifier = KeyIdentifier.derived
    /// The choice of authorityKeyIdentifier, derived from the issuer's key by default. A self-signed certificate has none then.
    public var authorityKeyIdentifier = KeyIdentifier.derived
    /// Further extensions, written last.
    public var extensions: [CertificateExtension] = []

    /// Makes the recipe of a valid end-entity certificate with this subject and validity.
    public init(subject: DistinguishedName, notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64) {
        self.subject = subject
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
    }

    /// Returns a copy of the recipe with `change` applied, for tables of recipes.
    public func with(_ change: (inout CertificateRecipe) -> Void) -> CertificateRecipe {
        var copy = self
        change(&copy)
        return copy
    }
}
