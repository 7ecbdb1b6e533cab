public import Vocabulary

/// An error of keys, certificates, digests or random bytes.
public enum CryptographyError: CodedError, Hashable {
    /// The bytes are not one DER certificate, or other bytes follow it.
    case certificateNotDER
    /// The text holds no certificate in PEM, or one that cannot be read.
    case certificateNotPEM
    /// The key is not of the wanted kind, for example not on P-256.
    case keyUnsuitable
    /// The bytes are not a key in the expected form.
    case keyMalformed
    /// The key is encrypted, and there is nobody who could enter the password.
    case keyEncrypted
    /// The text holds a certificate or a public key instead of a private key.
    case keyNotPrivate
    /// OpenSSL failed because it lacks memory or an algorithm.
    case opensslFailure
    /// The kernel's random source gave no bytes.
    case randomUnavailable

    /// The stable code: `cryptography.` and the name of the case in kebab-case.
    public var code: String {
        switch self {
        case .certificateNotDER: "cryptography.certificate-not-der"
        case .certificateNotPEM: "cryptography.certificate-not-pem"
        case .keyUnsuitable: "cryptography.key-unsuitable"
        case .keyMalformed: "cryptography.key-malformed"
        case .keyEncrypted: "cryptography.key-encrypted"
        case .keyNotPrivate: "cryptography.key-not-private"
        case .opensslFailure: "cryptography.openssl-failure"
        case .randomUnavailable: "cryptography.random-unavailable"
        }
    }
}
