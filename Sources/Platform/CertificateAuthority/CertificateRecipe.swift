/// The contents of a certificate to be made, right or wrong. The default is a valid end-entity certificate; a test changes
/// one property to make a bad certificate.
package struct CertificateRecipe: Sendable {
    package enum KeyIdentifier: Sendable {
        /// The right identifier, derived from the key.
        case derived
        case absent
        /// These bytes, which may be wrong.
        case bytes([UInt8])
    }

    /// The kind of the new key. Not used when ``key`` is set.
    package var algorithm = PrivateKey.Algorithm.p256
    /// The subject's key; nil to make a new key.
    package var key: PrivateKey?
    package var subject: DistinguishedName
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
    package var notBeforeMilliseconds: Int64
    package var notAfterMilliseconds: Int64
    /// True when basicConstraints says that the subject is a certificate authority; nil for no basicConstraints.
    package var isCA: Bool? = false
    /// The number of intermediate authorities that may follow below; nil for any number.
    package var pathLength: Int64?
    package var basicConstraintsIsCritical = true
    package var keyUsage: KeyUsage? = .digitalSignature
    package var keyUsageIsCritical = true
    package var extendedKeyUsage: [String] = []
    package var markers: [String] = []
    package var subjectKeyIdentifier = KeyIdentifier.derived
    /// A self-signed certificate has no derived one.
    package var authorityKeyIdentifier = KeyIdentifier.derived
    package var extensions: [CertificateExtension] = []

    package init(subject: DistinguishedName, notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64) {
        self.subject = subject
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.notAfterMilliseconds = notAfterMilliseconds
    }

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

/// The name of a subject or an issuer (RFC 5280 section 4.1.2.4).
package struct DistinguishedName: Sendable {
    package let der: [UInt8]

    /// Makes a name for a test authority: common name, organizational unit, organization, country, in Apple's order.
    package init(commonName: String, organizationalUnit: String? = nil) {
        let attributes: [(type: String, tag: UInt8, text: String?)] = [
            ("2.5.4.3", 0x0C, commonName), ("2.5.4.11", 0x0C, organizationalUnit),
            ("2.5.4.10", 0x0C, "Test authority, not Apple"), ("2.5.4.6", 0x13, "US"),
        ]
        let sets = attributes.map { type, tag, text in
            guard let text else { return [UInt8]() }
            return DER.set(DER.sequence(DER.objectIdentifier(type), DER.value(tag, Array(text.utf8))))
        }
        der = DER.value(0x30, sets.flatMap { $0 })
    }
}
