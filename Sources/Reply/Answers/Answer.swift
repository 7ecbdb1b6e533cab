public import DataFiles
public import Decisions
public import OfferSigning

/// What is sent for a decision: the service sends it, the tools print it, and both come by it here.
public enum Answer: Sendable, Hashable {
    /// What the App Store server is told to show.
    case message(RealtimeResponseBody)
    /// `{}` with 200, for those who set `noAnswer` to `empty`; Apple does not document what it means.
    case emptyObject
    /// A problem: that the rules serve nothing, or a fault of ours.
    case problem(Problem)

    /// The answer to a decision, by the file that it was made with.
    ///
    /// - Parameters:
    ///   - decision: what was decided.
    ///   - file: the rules that decided.
    ///   - signature: what was signed for it.
    ///   - noAnswerIsEmpty: whether nothing is said by `{}` instead of by a problem.
    public init(
        to decision: Decision,
        in file: RulesFile,
        signature: OutcomeSignature? = nil,
        noAnswerIsEmpty: Bool = false
    ) {
        switch decision.outcome {
        case .serve:
            let body = RealtimeResponseBody(decision, in: file, signature: signature)
            // Nothing is decided for that cannot be signed.
            self = body.map { .message($0) } ?? .problem(.internalFault)
        case .nothing: self = noAnswerIsEmpty ? .emptyObject : .problem(.noAnswer)
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
