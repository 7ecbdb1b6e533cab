public import Cryptography
public import Vocabulary

/// Why a test certificate could not be made.
public enum CertificateAuthorityError: CodedError, Hashable {
    /// A key could not be made, read or used.
    case key(CryptographyError)

    /// `certificate-authority.` and the case.
    public var code: String {
        switch self {
        case .key: "certificate-authority.key"
        }
    }
}
