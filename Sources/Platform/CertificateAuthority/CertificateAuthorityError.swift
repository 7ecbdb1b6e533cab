public import Cryptography
public import Vocabulary

/// The reason why a test certificate could not be made.
public enum CertificateAuthorityError: CodedError, Hashable {
    /// A key could not be made, read or used.
    case key(CryptographyError)

    /// The stable code: `certificate-authority.` and the name of the case.
    public var code: String {
        switch self {
        case .key: "certificate-authority.key"
        }
    }
}
