public import Vocabulary

/// What can go wrong with keys, certificates and digests.
public enum CryptographyError: CodedError, Hashable {
    /// The bytes are not one DER certificate, or other bytes follow it.
    case certificateNotDER
    /// The text holds no certificate in PEM.
    case certificateNotPEM
    /// The key is not of the wanted kind, for example not on P-256.
    case keyUnsuitable
    /// The bytes are not a key in the expected form.
    case keyMalformed
    /// The key is encrypted; nobody is there to be asked for the password.
    case keyEncrypted
    /// A certificate or a public key where a private key belongs.
    case keyNotPrivate
    /// OpenSSL could not do its work, for want of memory or of an algorithm.
    case opensslFailure
    /// The kernel's random source did not answer.
    case randomUnavailable

    /// `cryptography.` and the case.
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
