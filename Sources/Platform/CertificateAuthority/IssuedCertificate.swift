public import Cryptography

/// A certificate made by ``CertificateAuthority``, with its private key.
public struct IssuedCertificate: Sendable {
    public let der: [UInt8]
    /// The subject's private key.
    public let key: PrivateKey
    /// The subject's name.
    public let name: DistinguishedName

    /// Puts a certificate together from its parts, for example after they were read from files.
    public init(der: [UInt8], key: PrivateKey, name: DistinguishedName) {
        self.der = der
        self.key = key
        self.name = name
    }

    /// The certificate in base64, the form of an entry of `x5c`.
    public var base64: String { String(decoding: Base64.encode(der.span), as: UTF8.self) }

    public var pem: String {
        let text = Base64.encode(der.span)
        var lines = ["-----BEGIN CERTIFICATE-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        return (lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
    }

    /// Returns the certificate as the service reads it.
    ///
    /// - Throws: `cryptography.certificate-not-der` when OpenSSL cannot read the certificate that the recipe gave.
    public func certificate() throws(CryptographyError) -> Certificate {
        try Certificate(der: der.span)
    }
}
