/// The contents of a certificate to be made, right or wrong. The default is a valid end-entity certificate; a test changes
/// one property to make a bad certificate.
package struct CertificateRecipe: Sendable {
    /// The way in which a key identifier is chosen.
    package enum KeyIdentifier: Sendable, Hashable {
        /// The right identifier, derived from the key.
        case derived
        /// The certificate does not have the extension.
        case absent
        /// These bytes, which may be wrong.
        case bytes([UInt8])
    }

    /// The kind of the new key. Not used when ``key`` is set.
    package var algorithm = PrivateKey.Algorithm.p256
    /// The subject's key; nil to make a new key.
    package var key: PrivateKey?
    package var subject: DistinguishedName
    /// The issuer's name in the certificate; nil for the real issuer's name.
    package var issuerName: DistinguishedName?
    package var digest = SignatureDigest.sha384
    /// The digest named inside the signed part; nil for the same as ``digest``.
    package var innerDigest: SignatureDigest?
    /// The key that signs; nil for the issuer's key.
    package var signer: PrivateKey?
    /// True when one bit of the finished signature is flipped.
    package var hasDamagedSignature = false
    /// The version, 1 or 3. Any other number is written as it is.
    package var version: Int64 = 3
    /// The serial number in two's complement, most significant byte first; empty for 16 random bytes.
    package var serial: [UInt8] = []
    /// The first valid moment, milliseconds since 1970.
    package var notBeforeMilliseconds: Int64
    /// The last valid moment, milliseconds since 1970.
    package var notAfterMilliseconds: Int64
    /// True when basicConstraints says that the subject is a certificate authority; nil for no basicConstraints.
    package var isCA: Bool? = false
    /// The number of intermediate authorities that may follow below; nil for any number.
    package var pathLength: Int64?
    package var basicConstraintsIsCritical = true
    package var keyUsage: KeyUsage? = .digitalSignature
    package var keyUsageIsCritical = true
    /// The purposes in extendedKeyUsage, as dotted identifiers; empty for no extendedKeyUsage.
    package var extendedKeyUsage: [String] = []
    /// The dotted identifiers of Apple's markers: extensions whose value is NULL.
    package var markers: [String] = []
    /// The choice of subjectKeyIdentifier, derived from the subject's key by default.
    package var subjectKeyIdentifier = KeyIdentifier.derived
    /// The choice of authorityKeyIdentifier, derived from the issuer's key by default. A self-signed certificate has none then.
    package var authorityKeyIdentifier = KeyIdentifier.derived
    /// Further extensions, written last.
    package var extensions: [CertificateExtension] = []

    /// Makes the recipe of a valid end-entity certificate with this subject and validity.
    package init(subject: DistinguishedName, notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64) {
        self.subject = subject
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
    }

    /// Returns a copy of the recipe with `change` applied, for tables of recipes.
    package func with(_ change: (inout CertificateRecipe) -> Void) -> CertificateRecipe {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Makes recipes of certificates for a web server on this machine.
package enum TLSServerCertificate {
    /// Returns the recipe for a server that clients reach as `localhost` and `127.0.0.1`, unless `hosts` and `addresses` name
    /// others. The certificate may be self-signed or signed by any issuer.
    package static func recipe(
        notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, hosts: [String] = ["localhost"],
        addresses: [[UInt8]] = [[127, 0, 0, 1]]
    ) -> CertificateRecipe {
        CertificateRecipe(
            subject: DistinguishedName(commonName: hosts.first ?? "localhost"),
            notBeforeMilliseconds: notBeforeMilliseconds, notAfterMilliseconds: notAfterMilliseconds
        ).with {
            $0.digest = .sha256
            $0.extendedKeyUsage = ["1.3.6.1.5.5.7.3.1"]
            $0.extensions = [.subjectAlternativeName(hosts: hosts, addresses: addresses)]
        }
    }
}
