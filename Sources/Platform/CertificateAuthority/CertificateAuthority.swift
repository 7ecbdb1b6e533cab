package import Cryptography
internal import System

/// Makes good and bad certificates from recipes, for tests and `appstore-simulator`. The service never makes a certificate.
///
///     let root = try CertificateAuthority.issue(rootRecipe)
///     let leaf = try CertificateAuthority.issue(leafRecipe, by: root)
///     let x5c = [leaf.base64, root.base64]
package enum CertificateAuthority {
    /// Makes the certificate of `recipe`, signed by `issuer`. When `issuer` is nil, the certificate is self-signed.
    package static func issue(_ recipe: CertificateRecipe, by issuer: IssuedCertificate? = nil)
        throws(CryptographyError) -> IssuedCertificate
    {
        let key = if let key = recipe.key { key } else { try PrivateKey.generate(recipe.algorithm) }
        let signer = recipe.signer ?? issuer?.key ?? key
        let signed = try toBeSigned(recipe, key: key, signer: signer, issuer: issuer)
        var signature = try signer.sign(signed.span, digest: recipe.digest)
        if recipe.hasDamagedSignature { signature[signature.count - 1] ^= 1 }
        let der = DER.sequence(
            signed, recipe.digest.algorithmIdentifier(for: signer.algorithm), DER.bitString(signature))
        return IssuedCertificate(der: der, key: key, name: recipe.subject)
    }

    private static func toBeSigned(
        _ recipe: CertificateRecipe, key: PrivateKey, signer: PrivateKey, issuer: IssuedCertificate?
    ) throws(CryptographyError) -> [UInt8] {
        var serial = recipe.serial
        if serial.isEmpty {
            // A positive number whose first byte is not zero (RFC 5280 section 4.1.2.2).
            serial = RandomBytes.make(16)
            serial[0] = serial[0] & 0x7F | 0x40
        }
        let version =
            recipe.version == 1 ? [] : DER.value(0xA0, DER.integer(recipe.version - 1))
        let extensions = extensions(of: recipe, key: key, issuerKey: issuer?.key)
        return DER.sequence(
            version,
            DER.integer(serial),
            (recipe.innerDigest ?? recipe.digest).algorithmIdentifier(for: signer.algorithm),
            (recipe.issuerName ?? issuer?.name ?? recipe.subject).der,
            DER.sequence(
                DER.time(milliseconds: recipe.notBeforeMilliseconds),
                DER.time(milliseconds: recipe.notAfterMilliseconds)),
            recipe.subject.der,
            key.publicKeyDER,
            extensions.isEmpty || recipe.version < 3
                ? [] : DER.value(0xA3, DER.value(0x30, extensions.flatMap(encode)))
        )
    }

    private static func extensions(of recipe: CertificateRecipe, key: PrivateKey, issuerKey: PrivateKey?)
        -> [CertificateExtension]
    {
        var list: [CertificateExtension] = []
        if let isCA = recipe.isCA {
            list.append(
                .basicConstraints(
                    isCA: isCA, pathLength: recipe.pathLength, isCritical: recipe.basicConstraintsIsCritical)
            )
        }
        switch recipe.authorityKeyIdentifier {
        case .derived: if let issuerKey { list.append(.authorityKeyIdentifier(issuerKey.identifier)) }
        case .bytes(let bytes): list.append(.authorityKeyIdentifier(bytes))
        case .absent: break
        }
        switch recipe.subjectKeyIdentifier {
        case .derived: list.append(.subjectKeyIdentifier(key.identifier))
        case .bytes(let bytes): list.append(.subjectKeyIdentifier(bytes))
        case .absent: break
        }
        if let usage = recipe.keyUsage {
            list.append(.keyUsage(usage, isCritical: recipe.keyUsageIsCritical))
        }
        if !recipe.extendedKeyUsage.isEmpty { list.append(.extendedKeyUsage(recipe.extendedKeyUsage)) }
        return list + recipe.markers.map { .marker($0) } + recipe.extensions
    }

    private static func encode(_ item: CertificateExtension) -> [UInt8] {
        DER.sequence(
            DER.objectIdentifier(item.identifier), item.isCritical ? DER.boolean(true) : [],
            DER.octetString(item.value))
    }
}

extension PrivateKey {
    /// The key identifier after RFC 7093 section 2, method 4, cut to the usual 20 bytes.
    var identifier: [UInt8] { Array(SHA256.hash(publicKeyDER.span).bytes.prefix(20)) }
}

package struct IssuedCertificate: Sendable {
    package let der: [UInt8]
    package let key: PrivateKey
    package let name: DistinguishedName

    package init(der: [UInt8], key: PrivateKey, name: DistinguishedName) {
        self.der = der
        self.key = key
        self.name = name
    }

    package var base64: String { String(decoding: Base64.encode(der.span), as: UTF8.self) }

    package var pem: String { Certificate.pem(ofDER: der) }

    /// Returns the certificate as the service reads it. Throws `cryptography.certificate-not-der` when OpenSSL cannot read what the
    /// recipe gave.
    package func certificate() throws(CryptographyError) -> Certificate {
        try Certificate(der: der.span)
    }
}
