public import Cryptography
public import HTTPClient
public import Vocabulary

/// The reason why an operation of Apple's server failed.
///
/// Neither an error nor its description contains a token, a key or the body of a request.
public indirect enum AppStoreServerAPIError: CodedError, Hashable, CustomStringConvertible {
    /// Apple's server refused the request. The refusal has Apple's error code, if there is one.
    case refused(AppleRefusal)
    /// Apple's server did not accept the token (401).
    case unauthorized(Unauthorized)
    /// Apple's server answered 404 without an error body: the account has no access to the API.
    case noAccess(AppStoreServerOperation)
    /// Apple's server allows no more calls of this kind until the given time, milliseconds since 1970 (429). The
    /// client has waited as often as it is configured to.
    case rateLimited(AppStoreServerOperation, untilMilliseconds: Int64)
    /// The calls of this kind that Apple allows in an hour are used up until the given time, milliseconds since 1970,
    /// and the client is configured not to wait that long. Nothing was sent.
    case budgetExhausted(AppStoreServerOperation, untilMilliseconds: Int64)
    /// No answer came, or the request could not be prepared.
    case transport(HTTPClientError)
    /// An answer came that does not have the form that Apple documents.
    case malformed(MalformedAnswer)
    /// The answer to an upload, a delete, the start of a test or the request for a test notification was lost for the given reason, and the client could
    /// not find out whether the operation was done.
    case outcomeUnknown(AppStoreServerOperation, AppStoreServerAPIError)
    /// The request was not sent because it cannot be right.
    case invalid(InvalidArgument)
    /// The token could not be signed.
    case signing(CryptographyError)

    /// The details of a refused token.
    public struct Unauthorized: Sendable, Hashable {
        /// The error object of the answer. Apple does not promise one.
        public let refusal: AppleRefusal
        /// How far this machine's clock is ahead of the server's, in seconds; nil when the answer has no date.
        public let clockLeadSeconds: Int64?

        public init(refusal: AppleRefusal, clockLeadSeconds: Int64?) {
            self.refusal = refusal
            self.clockLeadSeconds = clockLeadSeconds
        }
    }

    /// The stable code. For a refusal with an error code of Apple, it is the code of ``AppStoreServerAPIErrorCode``.
    public var code: String {
        switch self {
        case .refused(let refusal) where refusal.knownCode != nil: refusal.knownCode?.code ?? ""
        case .refused: "apple.other-error"
        case .unauthorized: "apple.unauthorized"
        case .noAccess: "apple.no-access"
        case .rateLimited: "apple.rate-limited"
        case .budgetExhausted: "app-store-server-api.budget-exhausted"
        case .transport(let error): error.code
        case .malformed(let error): error.code
        case .outcomeUnknown: "app-store-server-api.outcome-unknown"
        case .invalid(let error): error.code
        case .signing(let error): error.code
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.explanation
        case .unauthorized(let details): details.explanation
        case .noAccess(let operation):
            "\(operation.name): the account has no access to the Retention Messaging API (404 without an error). "
                + "Access is requested from Apple for each app."
        case .rateLimited(let operation, let time):
            "\(operation.name): Apple's server allows no more calls until \(CivilTime(milliseconds: time))"
        case .budgetExhausted(let operation, let time):
            "\(operation.name): the calls that Apple allows in an hour are used up until \(CivilTime(milliseconds: time))"
        case .transport(let error): error.description
        case .malformed(let error): error.description
        case .outcomeUnknown(let operation, let cause):
            "\(operation.name): the answer was lost, and it is not known whether Apple did the work (\(cause))"
        case .invalid(let error): error.description
        case .signing(let error): "the token could not be signed (\(error.code))"
        }
    }

    /// Apple's error code, when Apple's server refused the request with a code that this version knows.
    public var appleCode: AppStoreServerAPIErrorCode? {
        if case .refused(let refusal) = self { refusal.knownCode } else { nil }
    }
}

extension AppStoreServerAPIError.Unauthorized {
    /// What may be wrong with the token, as sentences.
    public var explanation: String {
        var text =
            "Apple's server did not accept the token (401). Check that the key is an In-App Purchase key of App Store "
            + "Connect, that key ID and issuer ID belong to it, that the key was not revoked, and that the bundle ID "
            + "is that of the app. In Production, Apple answers this to every token before the app's first release."
        if let lead = clockLeadSeconds, abs(lead) > Self.toleratedSeconds {
            let direction = lead > 0 ? "ahead of" : "behind"
            text += " This machine's clock is \(abs(lead)) s \(direction) the server's; correct it."
        }
        if let words = refusal.displayMessage { text += " Apple's message: \(words)" }
        return text
    }

    /// The difference of clocks in seconds that can come from the network alone.
    private static let toleratedSeconds: Int64 = 30
}
