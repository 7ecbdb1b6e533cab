/// A certificate extension (RFC 5280 section 4.2): its dotted identifier, whether it is critical, and its value.
public struct CertificateExtension: Sendable, Hashable {
    /// The dotted object identifier.
    public var identifier: String
    /// Whether who does not understand it must refuse the certificate.
    public var isCritical: Bool
    /// What the OCTET STRING holds.
    public var value: [UInt8]

    /// Any extension.
    public init(_ identifier: String, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    /// basicConstraints.
    public static func basicConstraints(isCA: Bool, pathLength: Int64? = nil, isCritical: Bool = true) -> Self
    {
        var contents = isCA ? DER.boolean(true) : []
        if let pathLength { contents += DER.integer(pathLength) }
        return Self("2.5.29.19", isCritical: isCritical, value: DER.value(0x30, contents))
    }

    /// keyUsage.
    public static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> Self {
        // Bit 0 of the BIT STRING is the most significant bit of its first byte; DER drops trailing zero bits.
        let unused = usage.rawValue == 0 ? 0 : UInt8(usage.rawValue.trailingZeroBitCount)
        let bits = DER.bitString(usage.rawValue == 0 ? [] : [usage.rawValue], unusedBits: unused)
        return Self("2.5.29.15", isCritical: isCritical, value: bits)
    }

    /// extendedKeyUsage, by dotted identifiers.
    public static func extendedKeyUsage(_ purposes: [String], isCritical: Bool = false) -> Self {
        let contents = purposes.flatMap { DER.objectIdentifier($0) }
        return Self("2.5.29.37", isCritical: isCritical, value: DER.value(0x30, contents))
    }

    /// subjectKeyIdentifier.
    public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self("2.5.29.14", value: DER.octetString(identifier))
    }

    /// authorityKeyIdentifier with a key identifier alone.
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self("2.5.29.35", value: DER.sequence(DER.value(0x80, identifier)))
    }

    /// subjectAlternativeName: host names and IP addresses of four or sixteen bytes.
    public static func subjectAlternativeName(hosts: [String], addresses: [[UInt8]] = []) -> Self {
        let names = hosts.flatMap { DER.value(0x82, Array($0.utf8)) }
        let numbers = addresses.flatMap { DER.value(0x87, $0) }
        return Self("2.5.29.17", value: DER.value(0x30, names + numbers))
    }

    /// nameConstraints that permit only subjects under `directory`.
    public static func nameConstraints(permitting directory: DistinguishedName) -> Self {
        let subtree = DER.sequence(DER.value(0xA4, directory.der))
        return Self("2.5.29.30", isCritical: true, value: DER.sequence(DER.value(0xA0, subtree)))
    }

    /// authorityInformationAccess: where the issuer's certificate and where its OCSP responder is.
    public static func authorityInformationAccess(issuer: String? = nil, responder: String? = nil) -> Self {
        let places = [("1.3.6.1.5.5.7.48.2", issuer), ("1.3.6.1.5.5.7.48.1", responder)]
        let descriptions = places.compactMap { method, url in
            url.map { DER.sequence(DER.objectIdentifier(method), DER.value(0x86, Array($0.utf8))) }
        }
        return Self("1.3.6.1.5.5.7.1.1", value: DER.value(0x30, descriptions.flatMap { $0 }))
    }

    /// cRLDistributionPoints with one URL.
    public static func revocationList(_ url: String) -> Self {
        let name = DER.value(0xA0, DER.value(0xA0, DER.value(0x86, Array(url.utf8))))
        return Self("2.5.29.31", value: DER.sequence(DER.sequence(name)))
    }

    /// certificatePolicies: one policy with a notice for people and the place of the practice statement.
    public static func certificatePolicy(_ identifier: String, notice: String, statement: String) -> Self {
        let qualifiers = DER.sequence(
            DER.sequence(
                DER.objectIdentifier("1.3.6.1.5.5.7.2.2"),
                DER.sequence(DER.value(0x0C, Array(notice.utf8)))
            ),
            DER.sequence(
                DER.objectIdentifier("1.3.6.1.5.5.7.2.1"),
                DER.value(0x16, Array(statement.utf8))
            )
        )
        let policy = DER.sequence(DER.objectIdentifier(identifier), qualifiers)
        return Self("2.5.29.32", value: DER.sequence(policy))
    }

    /// An extension that is only there or not, as Apple's markers are; its value is NULL.
    public static func marker(_ identifier: String, isCritical: Bool = false) -> Self {
        Self(identifier, isCritical: isCritical, value: DER.null)
    }
}

/// The bits of keyUsage that are used here, as in the first byte of the BIT STRING.
public struct KeyUsage: OptionSet, Sendable, Hashable {
    /// The first byte of the BIT STRING.
    public let rawValue: UInt8

    /// From the first byte of the BIT STRING.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Signing anything but certificates and revocation lists.
    public static let digitalSignature = KeyUsage(rawValue: 0x80)
    /// Encrypting keys.
    public static let keyEncipherment = KeyUsage(rawValue: 0x20)
    /// Signing certificates.
    public static let certificateSigning = KeyUsage(rawValue: 0x04)
    /// Signing revocation lists.
    public static let revocationListSigning = KeyUsage(rawValue: 0x02)
}
