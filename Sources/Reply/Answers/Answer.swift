public import OfferSigning

/// The HTTP answer to a decision. The service sends it and the tools print it, so both use this type.
///
///     let signed = decideAndSign(request, facts: facts, using: rules, signer: signer)
///     let answer = Answer(serving: signed.outcome)
///     let (status, body) = (answer.status, answer.body)
public enum Answer: Sendable, Hashable {
    /// The message and what is shown beside it, as Apple's response body.
    case message(RealtimeResponseBody)
    /// The body `{}` with status 200, for services whose setting `noAnswer` is `empty`. Apple does not document what it
    /// means.
    case emptyObject
    /// A problem: the rules serve nothing, or the service refuses the request for the given reason.
    case problem(Problem)

    /// Makes the answer for an outcome.
    ///
    /// - Parameters:
    ///   - outcome: the served outcome; nil when nothing is served.
    ///   - noAnswerIsEmpty: whether the answer is `{}` instead of a problem when nothing is served.
    public init(serving outcome: SignedOutcome?, noAnswerIsEmpty: Bool = false) {
        if let outcome {
            self = .message(RealtimeResponseBody(outcome))
        } else {
            self = noAnswerIsEmpty ? .emptyObject : .problem(.noAnswer)
        }
    }

    /// The HTTP status of the answer.
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
