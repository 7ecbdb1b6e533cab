package import Cryptography
package import HTTPClient
package import System

/// Neither an error nor its description contains a token, a key or the body of a request.
package indirect enum AppStoreServerAPIError: CodedError, Hashable, CustomStringConvertible {
    case refused(AppleRefusal)
    /// 401. The difference says how far this machine's clock is ahead; nil when the answer has no date.
    case unauthorized(AppleRefusal, clockLeadSeconds: Int64?)
    /// Apple's server answered 404 without an error body: the account has no access to the API.
    case noAccess(AppStoreServerOperation)
    /// Apple allows no more calls of this kind, and the client has waited as long as it is configured to.
    case rateLimited(AppStoreServerOperation, untilMilliseconds: Int64)
    case transport(HTTPClientError)
    case malformed(MalformedAnswer)
    /// The answer to an operation that may not be done twice was lost, and nothing tells whether it was done.
    case outcomeUnknown(AppStoreServerOperation, AppStoreServerAPIError)
    /// The request was not sent because it cannot be right. The string says why.
    case invalid(String)
    case signing(CryptographyError)

    /// `apple.` and Apple's own number for a refusal that has one.
    package var code: String {
        switch self {
        case .refused(let refusal): refusal.errorCode.map { "apple.\($0)" } ?? "apple.refused"
        case .unauthorized: "apple.unauthorized"
        case .noAccess: "apple.no-access"
        case .rateLimited: "apple.rate-limited"
        case .transport(let error): error.code
        case .malformed: "apple.bad-answer"
        case .outcomeUnknown: "apple.outcome-unknown"
        case .invalid: "apple.bad-request"
        case .signing(let error): error.code
        }
    }

    package var exitStatus: ExitStatus {
        switch self {
        case .refused, .unauthorized, .noAccess, .rateLimited: .no
        case .transport(let error): error.exitStatus
        case .malformed, .outcomeUnknown: .unreachable
        case .invalid: .usage
        case .signing: .ours
        }
    }

    package var description: String {
        switch self {
        case .refused(let refusal): refusal.explanation
        case .unauthorized(let refusal, let lead): Self.explanation(refusal, clockLeadSeconds: lead)
        case .noAccess(let operation):
            "\(operation.name): the account has no access to the Retention Messaging API (404 without an error). "
                + "Access is requested from Apple for each app."
        case .rateLimited(let operation, let time):
            "\(operation.name): Apple allows no more calls until \(CivilTime(milliseconds: time))"
        case .transport(let error): error.description
        case .malformed(let error): error.description
        case .outcomeUnknown(let operation, let cause):
            "\(operation.name): the answer was lost, and it is not known whether Apple did the work (\(cause))"
        case .invalid(let reason): reason
        case .signing(let error): "the token could not be signed (\(error.code))"
        }
    }

    package var appleCode: AppStoreServerAPIErrorCode? {
        if case .refused(let refusal) = self { refusal.knownCode } else { nil }
    }

    private static func explanation(_ refusal: AppleRefusal, clockLeadSeconds: Int64?) -> String {
        var text =
            "Apple's server did not accept the token (401). Check that the key is an In-App Purchase key of App Store "
            + "Connect, that key ID and issuer ID belong to it, that the key was not revoked, and that the bundle ID "
            + "is that of the app. In Production, Apple answers this to every token before the app's first release."
        // A smaller difference can come from the network alone.
        if let lead = clockLeadSeconds, abs(lead) > 30 {
            let direction = lead > 0 ? "ahead of" : "behind"
            text += " This machine's clock is \(abs(lead)) s \(direction) the server's; correct it."
        }
        return text + refusal.quotation
    }
}

package struct AppleRefusal: Sendable, Hashable {
    package let status: Int
    /// Apple's error number, also when this version does not know it; nil without an error object.
    package let errorCode: Int64?
    package let errorMessage: String?

    package init(status: Int, errorCode: Int64? = nil, errorMessage: String? = nil) {
        self.status = status
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }

    package init(_ code: AppStoreServerAPIErrorCode, message: String? = nil) {
        self.init(status: code.status, errorCode: code.rawValue, errorMessage: message)
    }

    package var knownCode: AppStoreServerAPIErrorCode? {
        errorCode.flatMap(AppStoreServerAPIErrorCode.init(rawValue:))
    }

    /// At most 300 characters, with those escaped that a terminal acts on.
    fileprivate var quotation: String {
        guard let message = errorMessage?.unicodeScalars else { return "" }
        let text = DisplayText.escaped(String(message.prefix(300)))
        return " Apple's message: \(text)" + (message.count > 300 ? "…" : "")
    }

    fileprivate var explanation: String {
        if let code = knownCode {
            let meaning = code.meaning.isEmpty ? "Apple's server refused." : code.meaning
            return "\(meaning) (\(code.rawValue) \(code.name))\(quotation)"
        }
        let number = errorCode.map { "error \($0), which this version does not know" } ?? "no error code"
        let isBare = status == 404 && errorCode == nil
        let access = isBare ? " The account may have no access to the API." : ""
        return "Apple's server answered with status \(status) and \(number).\(access)\(quotation)"
    }
}

/// The reason why an answer does not have the form that Apple documents.
package enum MalformedAnswer: Error, Hashable, CustomStringConvertible {
    /// The body, or the JSON in it, ends too early.
    case truncated
    /// The server redirects to another address. The client never follows, because the request carries a token.
    case redirect(status: Int)
    case other(String)

    static let html = other("the answer is HTML instead of JSON; a proxy or another server may have sent it")
    static let tooLarge = other("the answer is longer than any that Apple documents")

    package var description: String {
        switch self {
        case .truncated: "the answer ends too early"
        case .redirect(let status): "the server redirects to another address (status \(status))"
        case .other(let reason): reason
        }
    }
}
