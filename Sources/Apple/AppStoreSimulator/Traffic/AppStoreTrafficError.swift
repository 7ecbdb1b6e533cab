package import CertificateAuthority
package import Cryptography
package import HTTPClient
package import System

/// The reason why test traffic could not be made or sent.
package enum AppStoreTrafficError: CodedError, Hashable, CustomStringConvertible {
    /// This directory holds an authority already. Its keys are not overwritten.
    case authorityExists(String)
    /// The file at this path cannot be read or written, or the directory cannot be made.
    case file(String, SystemCallError)
    /// The file at this path does not hold the key or certificate that it should hold.
    case content(String, CryptographyError)
    /// A certificate could not be made.
    case certificate(CertificateAuthorityError)
    /// A request could not be signed.
    case signing(CryptographyError)
    /// A request got no answer, or could not be prepared.
    case http(HTTPClientError)
    /// The number with this name in a performance test's configuration is outside its range.
    case outOfRange(String, ClosedRange<Int64>)

    /// The stable code: `app-store-traffic.` and the name of the case in kebab-case.
    package var code: String {
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

    package var exitStatus: ExitStatus {
        switch self {
        case .http(let error): error.exitStatus
        case .outOfRange: .usage
        case .certificate, .signing: .ours
        case .authorityExists, .file, .content: .data
        }
    }

    package var description: String {
        switch self {
        case .authorityExists(let path): "\(path) holds an authority already; its keys are kept"
        case .file(let path, let error): "\(path): \(error.description)"
        case .content(let path, let error):
            "\(path) does not contain the key or certificate that belongs there (\(error.code))"
        case .certificate(let error): "no certificate could be made (\(error.code))"
        case .signing(let error): "the request could not be signed (\(error.code))"
        case .http(let error): error.description
        case .outOfRange(let name, let range):
            "\(name) must be between \(range.lowerBound) and \(range.upperBound)"
        }
    }
}
