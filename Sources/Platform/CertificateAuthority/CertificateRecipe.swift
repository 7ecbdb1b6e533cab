/// What a certificate is to say, true or not. The default is a sound end-entity certificate; tests change one thing.
public struct CertificateRecipe: Sendable {
    /// How a key identifier is chosen.
    public enum KeyIdentifier: Sendable, Hashable {
        /// The right one, derived from the key.
        case derived
        /// No such extension.
        case absent
        /// These bytes, right or wrong.
        case bytes([UInt8])
    }

    /// The kind of key to make, unless ``key`` gives one.
    public var algorithm = PrivateKey.Algorithm.p256
    /// The subject's key; nil to make a new one.
    public var key: PrivateKey?
    /// The subject.
    public var subject: DistinguishedName
    /// The issuer's name where it is not the name of who issues.
    public var issuerName: DistinguishedName?
    /// The digest of the signature.
    public var digest = SignatureDigest.sha384
    /// The digest named inside the signed part where it is not ``digest``.
    public var innerDigest: SignatureDigest?
    /// The key that signs where it is not the issuer's.
    public var signer: PrivateKey?
    /// Whether a bit of the finished signature is turned over.
    public var hasDamagedSignature = false
    /// 1 or 3; anything else is written as it is.
    public var version: Int64 = 3
    /// The serial number in two's complement, most significant byte first; empty for 16 random bytes.
    public var serial: [UInt8] = []
    /// The first valid moment, milliseconds since 1970.
    public var notBeforeMilliseconds: Int64
    /// The last valid moment, milliseconds since 1970.
    public var notAfterMilliseconds: Int64
    /// Whether this is a certificate authority; nil for no basicConstraints.
    public var isCA: Bool? = false
    /// How many authorities may follow below; nil for any number.
    public var pathLength: Int64?
    /// Whether basicConstraints is critical.
    public var basicConstraintsIsCritical = true
    /// keyUsage; nil for none.
    public var keyUsage: KeyUsage? = .digitalSignature
    /// Whether keyUsage is critical.
    public var keyUsageIsCritical = true
    /// extendedKeyUsage as dotted identifiers; empty for none.
    public var extendedKeyUsage: [String] = []
    /// Apple's markers: extensions whose value is NULL.
    public var markers: [String] = []
    /// subjectKeyIdentifier.
    public var subjectKeyIdentifier = KeyIdentifier.derived
    /// authorityKeyIdentifier; derived from the issuer's key.
    public var authorityKeyIdentifier = KeyIdentifier.derived
    /// Further extensions, written last.
    public var extensions: [CertificateExtension] = []

    /// A sound end-entity certificate of this subject and validity.
    public init(subject: DistinguishedName, notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64) {
        self.subject = subject
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
    }

    /// The recipe with something changed, for tables of them.
    public func with(_ change: (inout CertificateRecipe) -> Void) -> CertificateRecipe {
        var copy = self
        change(&copy)
        return copy
    }
}
