/// The digest of a certificate's signature, by libcrypto's name.
public enum SignatureDigest: String, Sendable, Hashable, CaseIterable {
    /// Broken since 2017; to be refused.
    case sha1 = "SHA1"
    /// As Apple's older intermediates have it.
    case sha256 = "SHA256"
    /// As Apple's chain of today has it.
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// AlgorithmIdentifier (RFC 5480, RFC 8017, RFC 8410) of a signature with a key of this kind.
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
