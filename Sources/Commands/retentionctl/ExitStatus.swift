internal import AppStoreServerAPI
internal import AppStoreTraffic
internal import Catalogue
internal import Cryptography
internal import HTTPClient
internal import NotificationStore
internal import OfferSigning
internal import Recovery
internal import SignedPayloads
internal import SQL
internal import System
internal import Vocabulary

/// The exit statuses of the tool: the numbers of sysexits.h, 1 for "the answer is no", and 2 for "there is something to
/// do". No other code chooses an exit status.
enum ExitStatus: Int32 {
    /// The work is done, and the answer, if there is one, is yes.
    case done = 0
    /// The answer is no: not verified, no match, a test failed.
    case no = 1
    /// There is something to do: a plan has changes, or what is left waits for Apple's review.
    case changes = 2
    /// The arguments are wrong. ArgumentParser uses the same number.
    case usage = 64
    /// An input was read and its content is wrong.
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

    /// Chooses the status for any error that reaches `main`. An error of a module that is not listed here means bad
    /// data if it has a code. An error without a code is a bug.
    init(for error: any Error) {
        self =
            switch error {
            case let failure as ToolFailure: failure.status
            case let error as SystemCallError: Self(error)
            case let error as HTTPClientError: Self(error)
            case let error as AppStoreTrafficError: Self(error)
            case let error as AppStoreServerAPIError: Self(error)
            case let error as NotificationStoreError: Self(error)
            case let error as StoreToolError: error.status
            case let error as RecoveryToolError: error.status
            case let error as RecoveryError: Self(error)
            case is ForwardingError: .usage
            case ApplyFailure.api(let error): Self(error)
            case ApplyFailure.journal(let error), let error as CatalogueJournalError: Self(error)
            case SigningKeyProblem.unreadable(let error): Self(error)
            case SigningKeyProblem.exposed: .permission
            case is Refusal: .no
            case is AnchorError: .configuration
            case CryptographyError.opensslFailure, CryptographyError.randomUnavailable: .internalFault
            case is any CodedError: .badData
            default: .internalFault
            }
    }

    /// Chooses the status for a file that cannot be written. A missing directory of an output file is not a missing
    /// input.
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

    private init(_ error: AppStoreServerAPIError) {
        self =
            switch error {
            case .refused, .unauthorized, .noAccess, .rateLimited, .budgetExhausted: .no
            case .transport(let error): Self(error)
            case .malformed, .outcomeUnknown: .unreachable
            case .invalid: .usage
            case .signing: .internalFault
            }
    }

    private init(_ error: NotificationStoreError) {
        self =
            switch error {
            case .badAddress, .passwordInAddress, .badArgument, .onlySQLite: .usage
            case .missing: .inputMissing
            case .file, .exists, .noWriteAheadLog, .replaced, .logDeleted, .inUse: .inputOutput
            case .fsyncOff, .serverEncoding, .readOnlyServer: .configuration
            case .foreign, .newer, .outdated, .schemaDiffers, .strayLog, .foreignLog, .tooLarge, .tooManyRows,
                .incompleteRow:
                .badData
            case .database(let error), .rowRefused(let error): Self(error.fault)
            }
    }

    private init(_ error: RecoveryError) {
        self =
            switch error {
            case .api(let error): Self(error)
            case .store(let error): Self(error)
            case .endlessHistory, .otherOwner: .unreachable
            }
    }

    private init(_ fault: SQLFault) {
        self =
            switch fault {
            case .unreachable, .connectionLost, .tooManyConnections, .commitUnsure, .timedOut, .busy,
                .serializationFailure:
                .unreachable
            case .denied: .permission
            case .full, .readOnly, .inputOutput, .cannotOpen: .inputOutput
            case .badAddress: .usage
            case .outOfMemory: .internalFault
            case .corrupt, .notADatabase, .schema, .constraint, .badValue, .wrongType, .refused: .badData
            }
    }

    private init(_ error: CatalogueJournalError) {
        self =
            switch error {
            case .file(_, let error): Self(writing: error)
            case .locked: .inputOutput
            case .damaged, .foreign, .otherOwner, .newer, .tooLarge: .badData
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
