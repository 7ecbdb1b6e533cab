/// The digest of a certificate's signature. The raw value is libcrypto's name.
public enum SignatureDigest: String, Sendable, Hashable, CaseIterable {
    /// SHA-1, broken since 2017. The service must refuse it.
    case sha1 = "SHA1"
    /// SHA-256, the digest of Apple's older intermediates.
    case sha256 = "SHA256"
    /// SHA-384, the digest of Apple's chain of today.
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// Returns the AlgorithmIdentifier (RFC 5480, RFC 8017, RFC 8410) of a signature with a key of the kind `algorithm`.
    func algorithmIdentifier(for algorithm: PrivateKey.Algorithm) -> [UInt8] {
        switch algorithm {
        case .p256, .p384, .p521, .p256Explicit:
            DER.sequence(DER.objectIdentifier(ellipticCurveIdentifier))
        case .rsa1024, .rsa2048, .rsa4096:
            DER.sequence(DER.objectIdentifier(rsaIdentifier), DER.null)
        case .ed25519:
            DER.sequence(DER.objectIdentifier("1.3.101.112"))
        }
    }

    private var ellipticCurveIdentifier: String {
        switch self {
        case .sha1: "1.2.840.10045.4.1"
        case .sha256: "1.2.840.10045.4.3.2"
        case .sha384: "1.2.840.10045.4.3.3"
        case .sha512: "1.2.840.10045.4.3.4"
        }
    }

    private var rsaIdentifier: String {
        switch self {
        case .sha1: "1.2.840.113549.1.1.5"
        case .sha256: "1.2.840.113549.1.1.11"
        case .sha384: "1.2.840.113549.1.1.12"
        case .sha512: "1.2.840.113549.1.1.13"
        }
    }
}
