public import Cryptography
public import Vocabulary

/// Why an outcome could not be signed.
public enum OfferSigningError: CodedError, Hashable {
    /// The kernel gave no random bytes.
    case randomUnavailable
    /// OpenSSL could not sign.
    case signature(CryptographyError)
    /// An identifier contains a control character, or U+2063, which separates the fields of a V1 signature.
    case badIdentifier
    /// The template of an Advanced Commerce request is not a JSON object.
    case templateInvalid

    /// The stable code.
    public var code: String {
        switch self {
        case .randomUnavailable: "offer-signing.random-unavailable"
        case .signature(let error): error.code
        case .badIdentifier: "offer-signing.bad-identifier"
        case .templateInvalid: "offer-signing.template-invalid"
        }
    }
}
