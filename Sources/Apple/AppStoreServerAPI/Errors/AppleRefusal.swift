internal import Vocabulary

/// An answer of Apple's server that refuses a request: its HTTP status, and the error object of the body if there is
/// one.
public struct AppleRefusal: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// Apple's error number, also when this version does not know it; nil without an error object.
    public let errorCode: Int64?
    /// Apple's message as it came. It may have any characters; ``displayMessage`` is for people.
    public let errorMessage: String?

    public init(status: Int, errorCode: Int64? = nil, errorMessage: String? = nil) {
        self.status = status
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }

    public init(_ code: AppStoreServerAPIErrorCode, message: String? = nil) {
        self.init(status: code.status, errorCode: code.rawValue, errorMessage: message)
    }

    /// The error code; nil when Apple gave none, or one that this version does not know.
    public var knownCode: AppStoreServerAPIErrorCode? {
        errorCode.flatMap(AppStoreServerAPIErrorCode.init(rawValue:))
    }

    /// Apple's message in at most 300 characters, with the characters escaped that a terminal acts on; nil without a
    /// message.
    public var displayMessage: String? {
        errorMessage.map { message in
            let text = DisplayText.escaped(String(message.unicodeScalars.prefix(Self.displayLength)))
            return message.unicodeScalars.count > Self.displayLength ? text + "…" : text
        }
    }

    /// The refusal as one or more sentences for people: what it means, what to do, and Apple's own words.
    public var explanation: String {
        let words = displayMessage.map { " Apple's message: \($0)" } ?? ""
        guard let code = knownCode else {
            let number = errorCode.map { "error \($0), which this version does not know" } ?? "no error code"
            let isBare = status == 404 && errorCode == nil
            let access = isBare ? " The account may have no access to the API." : ""
            return "Apple's server answered with status \(status) and \(number).\(access)\(words)"
        }
        return "\(code.meaning) \(code.advice) (\(code.rawValue) \(code.name))\(words)"
    }

    /// The number of characters of a message that are shown. Apple's messages have less than 100.
    private static let displayLength = 300
}
