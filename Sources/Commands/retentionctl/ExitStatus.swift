internal import AppStoreTraffic
internal import Cryptography
internal import HTTPClient
internal import OfferSigning
internal import SignedPayloads
internal import System
internal import Vocabulary

/// How the tool ends: the numbers of sysexits.h, and 1 for "the answer is no". The only place that chooses one.
enum ExitStatus: Int32 {
    /// Done, and the answer, where there is one, is yes.
    case done = 0
    /// The answer is no: not verified, no match, a test failed.
    case no = 1
    /// Wrong usage; ArgumentParser's own.
    case usage = 64
    /// An input was read and is wrong.
    case badData = 65
    /// An input does not exist.
    case inputMissing = 66
    /// A server could not be reached.
    case unreachable = 69
    /// A fault of this program.
    case internalFault = 70
    /// Reading or writing failed.
    case inputOutput = 74
    /// The system does not permit it.
    case permission = 77
    /// A configuration is wrong.
    case configuration = 78

    /// The status for any error that reaches `main`. Errors of modules that are not named here and have a code speak
    /// of bad data; an error without a code is a bug.
    init(for error: any Error) {
        self =
            switch error {
            case let failure as ToolFailure: failure.status
            case let error as SystemCallError: Self(error)
            case let error as HTTPClientError: Self(error)
            case let error as AppStoreTrafficError: Self(error)
            case SigningKeyProblem.unreadable(let error): Self(error)
            case SigningKeyProblem.exposed: .permission
            case is Refusal: .no
            case is AnchorError: .configuration
            case CryptographyError.opensslFailure, CryptographyError.randomUnavailable: .internalFault
            case is any CodedError: .badData
            default: .internalFault
            }
    }

    /// The status for a file that cannot be written: where its directory is missing, no input is.
    init(writing error: SystemCallError) {
        let status = Self(error)
        self = status == .inputMissing ? .inputOutput : status
    }

    private init(_ error: AppStoreTrafficError) {
        self =
            switch error {
            case .authorityExists: .permission
            case .file(_, let error): Self(error)
            case .content: .badData
            case .certificate, .signing: .internalFault
            case .http(let error): Self(error)
            case .outOfRange: .usage
            }
    }

    private init(_ error: HTTPClientError) {
        self =
            switch error {
            case .badURL: .usage
            case .badAuthorities: .inputMissing
            default: .unreachable
            }
    }

    private init(_ error: SystemCallError) {
        self =
            switch error.reason {
            case .enoent, .enotdir: .inputMissing
            case .eacces, .eperm, .erofs: .permission
            default: .inputOutput
            }
    }
}
