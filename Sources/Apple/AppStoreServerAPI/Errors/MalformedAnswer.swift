public import JSON
public import Vocabulary

/// The reason why an answer does not have the form that Apple documents.
public enum MalformedAnswer: CodedError, Hashable, CustomStringConvertible {
    /// The body is HTML instead of JSON, as from a proxy or a login page.
    case html
    /// The body is not JSON that the client accepts. An object with the same key twice is among these.
    case json(JSONError)
    /// The body, or the JSON in it, ends too early.
    case truncated
    /// The body is longer than the client reads.
    case tooLarge
    /// A member of the JSON is missing. The string is its path.
    case memberMissing(String)
    /// A member of the JSON has another type than documented. The strings are its path and the expected type.
    case wrongType(String, expected: String)
    /// An identifier in the JSON is not a UUID. The string is its path.
    case notUUID(String)
    /// The server redirects to another address. The client never follows, because the request carries a token.
    case redirect(status: Int)
    /// The answer repeats the token of the request. The client drops such an answer, so that no output shows the token.
    case repeatsToken

    /// The stable code.
    public var code: String {
        switch self {
        case .html: "app-store-answer.html"
        case .json(.duplicateKey): "app-store-answer.duplicate-key"
        case .json: "app-store-answer.not-json"
        case .truncated: "app-store-answer.truncated"
        case .tooLarge: "app-store-answer.too-large"
        case .memberMissing: "app-store-answer.member-missing"
        case .wrongType: "app-store-answer.wrong-type"
        case .notUUID: "app-store-answer.not-uuid"
        case .redirect: "app-store-answer.redirect"
        case .repeatsToken: "app-store-answer.repeats-token"
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .html: "the answer is HTML instead of JSON; a proxy or another server may have sent it"
        case .json(let error): "the answer is not the JSON that Apple documents: \(error)"
        case .truncated: "the answer ends too early"
        case .tooLarge: "the answer is longer than any that Apple documents"
        case .memberMissing(let path): "the answer has no \(path)"
        case .wrongType("", let expected): "the answer is not \(expected)"
        case .wrongType(let path, let expected): "\(path) in the answer is not \(expected)"
        case .notUUID(let path): "\(path) in the answer is not a UUID"
        case .redirect(let status):
            "the server redirects to another address (status \(status))"
        case .repeatsToken: "the answer repeats the token of the request and is not shown"
        }
    }
}
