public import CertificateAuthority
public import Cryptography
public import HTTPClient
public import System
public import Vocabulary

/// Why test traffic could not be made or sent.
public enum AppStoreTrafficError: CodedError, Hashable, CustomStringConvertible {
    /// There is an authority in this directory already; its keys are not overwritten.
    case authorityExists(String)
    /// A file of the authority cannot be read or written.
    case file(String, SystemCallError)
    /// A file of the authority does not hold what it should.
    case content(String, CryptographyError)
    /// A certificate could not be made.
    case certificate(CertificateAuthorityError)
    /// A request could not be signed.
    case signing(CryptographyError)
    /// No answer.
    case http(HTTPClientError)
    /// A number of a performance test is outside its range.
    case outOfRange(String, ClosedRange<Int64>)

    /// `app-store-traffic.` and the case.
    public var code: String {
        switch self {
        case .authorityExists: "app-store-traffic.authority-exists"
        case .file: "app-store-traffic.file"
        case .content: "app-store-traffic.content"
        case .certificate: "app-store-traffic.certificate"
        case .signing: "app-store-traffic.signing"
        case .http: "app-store-traffic.http"
        case .outOfRange: "app-store-traffic.out-of-range"
        }
    }

    /// One line for people.
    public var description: String {
        switch self {
        case .authorityExists(let path): "\(path) holds an authority already; its keys are kept"
        case .file(let path, let error): "\(path): \(error.description)"
        case .content(let path, let error): "\(path) is not what it should be (\(error.code))"
        case .certificate(let error): "no certificate could be made (\(error.code))"
        case .signing(let error): "the request could not be signed (\(error.code))"
        case .http(let error): error.description
        case .outOfRange(let name, let range):
            "\(name) must be between \(range.lowerBound) and \(range.upperBound)"
        }
    }
}
