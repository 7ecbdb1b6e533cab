/// A certificate extension (RFC 5280 section 4.2): its dotted identifier, whether it is critical, and its value.
package struct CertificateExtension: Sendable, Hashable {
    package var identifier: String
    /// True when a verifier that does not understand the extension must refuse the certificate.
    package var isCritical: Bool
    package var value: [UInt8]

    package init(_ identifier: String, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    /// Returns basicConstraints. `pathLength` nil allows any number of intermediate authorities below.
    package static func basicConstraints(isCA: Bool, pathLength: Int64? = nil, isCritical: Bool = true)
        -> Self
    {
        var contents = isCA ? DER.boolean(true) : []
        if let pathLength { contents += DER.integer(pathLength) }
        return Self("2.5.29.19", isCritical: isCritical, value: DER.value(0x30, contents))
    }

    package static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> Self {
        // Bit 0 of the BIT STRING is the most significant bit of its first byte; DER drops trailing zero bits.
        let unused = usage.rawValue == 0 ? 0 : UInt8(usage.rawValue.trailingZeroBitCount)
        let bits = DER.bitString(usage.rawValue == 0 ? [] : [usage.rawValue], unusedBits: unused)
        return Self("2.5.29.15", isCritical: isCritical, value: bits)
    }

    /// Returns extendedKeyUsage with the given purposes, which are dotted identifiers.
    package static func extendedKeyUsage(_ purposes: [String], isCritical: Bool = false) -> Self {
        let contents = purposes.flatMap { DER.objectIdentifier($0) }
        return Self("2.5.29.37", isCritical: isCritical, value: DER.value(0x30, contents))
    }

    package static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self("2.5.29.14", value: DER.octetString(identifier))
    }

    /// Returns authorityKeyIdentifier with a key identifier and no other field.
    package static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self("2.5.29.35", value: DER.sequence(DER.value(0x80, identifier)))
    }

    /// Returns subjectAlternativeName with host names and IP addresses of four or sixteen bytes.
    package static func subjectAlternativeName(hosts: [String], addresses: [[UInt8]] = []) -> Self {
        let names = hosts.flatMap { DER.value(0x82, Array($0.utf8)) }
        let numbers = addresses.flatMap { DER.value(0x87, $0) }
        return Self("2.5.29.17", value: DER.value(0x30, names + numbers))
    }

    /// Returns nameConstraints that permit only subjects under `directory`.
    package static func nameConstraints(permitting directory: DistinguishedName) -> Self {
        let subtree = DER.sequence(DER.value(0xA4, directory.der))
        return Self("2.5.29.30", isCritical: true, value: DER.sequence(DER.value(0xA0, subtree)))
    }

    /// Returns authorityInformationAccess with the URLs of the issuer's certificate and of its OCSP responder.
    package static func authorityInformationAccess(issuer: String? = nil, responder: String? = nil) -> Self {
        let places = [("1.3.6.1.5.5.7.48.2", issuer), ("1.3.6.1.5.5.7.48.1", responder)]
        let descriptions = places.compactMap { method, url in
            url.map { DER.sequence(DER.objectIdentifier(method), DER.value(0x86, Array($0.utf8))) }
        }
        return Self("1.3.6.1.5.5.7.1.1", value: DER.value(0x30, descriptions.flatMap { $0 }))
    }

    package static func revocationList(_ url: String) -> Self {
        let name = DER.value(0xA0, DER.value(0xA0, DER.value(0x86, Array(url.utf8))))
        return Self("2.5.29.31", value: DER.sequence(DER.sequence(name)))
    }

    /// Returns certificatePolicies with one policy: its identifier, a notice for people and the URL of the practice statement.
    package static func certificatePolicy(_ identifier: String, notice: String, statement: String) -> Self {
        let qualifiers = DER.sequence(
            DER.sequence(
                DER.objectIdentifier("1.3.6.1.5.5.7.2.2"), DER.sequence(DER.value(0x0C, Array(notice.utf8)))),
            DER.sequence(DER.objectIdentifier("1.3.6.1.5.5.7.2.1"), DER.value(0x16, Array(statement.utf8))))
        let policy = DER.sequence(DER.objectIdentifier(identifier), qualifiers)
        return Self("2.5.29.32", value: DER.sequence(policy))
    }

    /// Returns an extension whose value is NULL, like Apple's markers: only its presence has a meaning.
    package static func marker(_ identifier: String, isCritical: Bool = false) -> Self {
        Self(identifier, isCritical: isCritical, value: DER.null)
    }
}

/// The bits of keyUsage that are used here. Their values are those in the first byte of the BIT STRING.
package struct KeyUsage: OptionSet, Sendable, Hashable {
    /// The first byte of the BIT STRING.
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The key signs data other than certificates and revocation lists.
    package static let digitalSignature = KeyUsage(rawValue: 0x80)
    /// The key encrypts keys.
    package static let keyEncipherment = KeyUsage(rawValue: 0x20)
    /// The key signs certificates.
    package static let certificateSigning = KeyUsage(rawValue: 0x04)
    package static let revocationListSigning = KeyUsage(rawValue: 0x02)
}
