public import OfferSigning

/// What is sent for a decision: the service sends it, the tools print it, and both come by it here.
public enum Answer: Sendable, Hashable {
    /// What the App Store server is told to show.
    case message(RealtimeResponseBody)
    /// `{}` with 200, for those who set `noAnswer` to `empty`; Apple does not document what it means.
    case emptyObject
    /// A problem: that the rules serve nothing, or why the request is refused.
    case problem(Problem)

    /// The answer that serves an outcome; nil is nothing.
    ///
    /// - Parameters:
    ///   - outcome: what is served.
    ///   - noAnswerIsEmpty: whether nothing is said by `{}` instead of by a problem.
    public init(serving outcome: SignedOutcome?, noAnswerIsEmpty: Bool = false) {
        if let outcome {
            self = .message(RealtimeResponseBody(outcome))
        } else {
            self = noAnswerIsEmpty ? .emptyObject : .problem(.noAnswer)
        }
    }

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .message, .emptyObject: 200
        case .problem(let problem): problem.status
        }
    }

    /// The media type of the body.
    public var contentType: StaticString {
        switch self {
        case .message, .emptyObject: RealtimeResponseBody.contentType
        case .problem: ProblemDocument.contentType
        }
    }

    /// The body, byte for byte.
    public var body: [UInt8] {
        switch self {
        case .message(let body): body.json
        case .emptyObject: Array("{}".utf8)
        case .problem(let problem): ProblemDocument.body(of: problem)
        }
    }
}
